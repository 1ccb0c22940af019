"""Leaks: does a skill carry answers of a suite? Pure; computed before a variant may cost anything.

A leak is a run of eight tokens shared with a reference or hidden test and absent from the task's base, a name that only the
fix defines, a task's id, or a hidden test's path or name. Eight, less what the base holds, found 109 of 129 quoted lines with few
false hits in the study behind the design.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING

from harness.left_out import without_addition
from harness.python_source import syntax_tree
from harness.task import Split
from harness.tree import difference

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from harness.skill import Variant
    from harness.task import Task
    from harness.tree import Tree

LEAK = "leak"  # the word that every refusal begins with
SIZE = 8
FEWEST_WORDS = 3  # of a run: punctuation alone says nothing
SHORTEST_NAME = 4
TOLD = 3

_TOKEN = re.compile(r"\w+|([^\w\s])\1*")
_WORD = re.compile(r"\w+")

Gram = tuple[str, ...]


class Kind(StrEnum):
    """What was carried over."""

    TEXT = "text"
    NAME = "name"
    TASK = "task id"
    PATH = "hidden path"


@dataclass(frozen=True, slots=True, kw_only=True)
class Leak:
    """One overlap: the task it comes from, whether that is a dev task, and the overlapping words as the skill writes them."""

    kind: Kind
    task: str
    dev: bool
    text: str


@dataclass(frozen=True, slots=True)
class _Word:
    """A word that gives a task away, and the pattern of the uses that count."""

    text: str
    kind: Kind
    pattern: re.Pattern[str]


class LeakIndex:
    """What a skill must not carry, computed once per suite; each question is then linear in the skill's length."""

    def __init__(self, tasks: Iterable[Task]) -> None:
        self._tasks = tuple(tasks)
        self._grams: dict[Gram, list[int]] = {}
        self._words: list[tuple[_Word, int]] = []
        for number, task in enumerate(self._tasks):
            for gram in answers(task):
                self._grams.setdefault(gram, []).append(number)
            self._words += [(word, number) for word in _words(task)]

    def leaks(self, text: str) -> tuple[Leak, ...]:
        """Every overlap of a skill's text with the suite; text first, each stretch of tokens once per task."""
        folded = text.casefold()
        near = ((word, number) for word, number in self._words if word.text.casefold() in folded)
        named = [(word.kind, number, match[0]) for word, number in near for match in [word.pattern.search(text)] if match]
        found = [*((Kind.TEXT, number, run) for number, run in self._runs(text)), *named]
        return tuple(self._leak(kind, number, words) for kind, number, words in dict.fromkeys(found))

    def refusal(self, text: str) -> str:
        """Empty, or why the skill is refused, in words that a proposer may read: overlaps with dev tasks only."""
        found = self.leaks(text)
        shown = [f"{leak.kind} {leak.text[:120]!r}" for leak in found if leak.dev][:TOLD]
        if not found:
            return ""
        return f"{LEAK}: {'; '.join(shown)}" if shown else LEAK

    def _runs(self, text: str) -> Iterator[tuple[int, str]]:
        """Stretches of tokens that stand in a task's answers and not in its base; runs that touch are one stretch."""
        matches = list(_TOKEN.finditer(text))
        stretches: dict[int, list[list[int]]] = {}
        for at in range(len(matches) - SIZE + 1):
            gram = tuple(match[0].casefold() for match in matches[at : at + SIZE])
            for number in self._grams.get(gram, ()):
                if not _holds(self._tasks[number].base, gram):
                    mine = stretches.setdefault(number, [])
                    if mine and at <= mine[-1][1]:
                        mine[-1][1] = at + SIZE
                    else:
                        mine.append([at, at + SIZE])
        for number, found in stretches.items():
            yield from ((number, text[matches[start].start() : matches[end - 1].end()]) for start, end in found)

    def _leak(self, kind: Kind, number: int, words: str) -> Leak:
        task = self._tasks[number]
        return Leak(kind=kind, task=task.id, dev=task.split is Split.DEV, text=words)


def all_words(variant: Variant) -> str:
    """All that a variant says: its files, their names, and the reason it gives, which pages and commits repeat."""
    return "\n".join([*(f"{path}\n{file.text}" for path, file in variant.skill.tree), variant.rationale])


def leaks(skill_text: str, tasks: Iterable[Task]) -> tuple[Leak, ...]:
    """Every overlap of one skill's text with the tasks. For many skills keep a `LeakIndex`."""
    return LeakIndex(tasks).leaks(skill_text)


def answers(task: Task) -> set[Gram]:
    """Runs of the reference's changed files and of the project's hidden tests, less those of the same files before."""
    found: set[Gram] = set()
    for change in (*difference(task.base, task.reference), *difference(task.base, without_addition(task.hidden))):
        if change.new is not None:
            found |= _grams(change.new.text) - _grams(change.old.text if change.old else "")
    return found


@lru_cache(maxsize=64)  # the tasks of one project share most of their files; of a long file there are megabytes
def _grams(text: str) -> frozenset[Gram]:
    tokens = [match[0].casefold() for match in _TOKEN.finditer(text)]
    grams = zip(*(tokens[start:] for start in range(SIZE)), strict=False)
    return frozenset(gram for gram in grams if sum(bool(_WORD.match(token)) for token in gram) >= FEWEST_WORDS)


@lru_cache(maxsize=4096)
def _vocabulary(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text))


def _holds(base: Tree, gram: Gram) -> bool:
    """Whether any base file holds the run. Asked only of overlaps, so that a large base costs nothing until there is one."""
    pattern = _run_of(gram)
    return any(pattern.search(file.text) for _, file in base)


@lru_cache(maxsize=4096)
def _run_of(gram: Gram) -> re.Pattern[str]:
    return re.compile(r"\s*".join(re.escape(token) for token in gram), re.IGNORECASE)


def _words(task: Task) -> Iterator[_Word]:
    """The words that give a task away."""
    if len(task.id) >= SHORTEST_NAME:
        yield _Word(task.id, Kind.TASK, _whole(task.id))
    known = _vocabulary(task.instruction).union(*(_vocabulary(file.text) for _, file in task.base))
    changed = [change for change in difference(task.base, task.reference) if change.path.endswith(".py")]
    for name in sorted({name for change in changed if change.new for name in _defined(change.new.content)} - known):
        if len(name) >= SHORTEST_NAME:
            yield _Word(name, Kind.NAME, _whole(name) if _telling(name) else _as_code(name))
    for path, file in task.hidden:
        stem = path.rpartition("/")[2]
        if task.base.get(path) is None and (word := stem if _of_its_own(stem) else path if stem != path else ""):
            yield _Word(word, Kind.PATH, _whole(word))
        for name in sorted({name for name in _defined(file.content) if name.startswith("test_")} - known):
            yield _Word(name, Kind.PATH, _whole(name))


@lru_cache(maxsize=4096)
def _defined(content: bytes) -> frozenset[str]:
    """Names that a file binds itself: what it merely uses may be anybody's."""
    source = syntax_tree(content)
    return frozenset(name for node in ast.walk(source[1]) for name in _bound(node)) if source else frozenset()


def _bound(node: ast.AST) -> Sequence[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return (node.name,)
    if isinstance(node, ast.arg):
        return (node.arg,)
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        return (node.id,)
    return (node.attr,) if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) else ()


def _of_its_own(stem: str) -> bool:
    """Whether a file's name can be no other's: `test_sign.py`, not the `pyproject.toml` or `conftest.py` of a test's data."""
    return stem not in {"conftest.py", "__init__.py"} and _telling(stem.partition(".")[0])


def _telling(name: str) -> bool:
    """Whether a name cannot be an everyday word: it has an inner underscore or digit, or capitals beside small letters.

    A constant in capitals alone may be one (`RUNS`, `JSON`), whatever case a skill writes it in.
    """
    return re.search(r"[A-Za-z0-9]_+[A-Za-z0-9]|[a-z][A-Z0-9]|[A-Z]{2}.*[a-z]", name, re.ASCII) is not None


def _whole(word: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-]){re.escape(word)}(?![\w-])", re.IGNORECASE)


def _as_code(word: str) -> re.Pattern[str]:
    """An everyday word counts only where it is written as code: quoted as code, or called."""
    return re.compile(rf"`[^`\n]*\b{re.escape(word)}\b[^`\n]*`|\b{re.escape(word)}\(")
