"""Mutants: a task's reference with one fault in the lines that it adds. Whether one is bad, only tests can say."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING

from harness.suites.mutations import Operator, mutated, mutations
from harness.tree import Edit, EditError, difference, edited

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.suites.mutations import Mutation
    from harness.task import Task
    from harness.tree import Tree

_OFTEN_UNSEEN = frozenset({Operator.DEFAULT, Operator.EXCEPTION})  # by tests, so they come last among equals
_LINE = re.compile(r"[^\n]*\n|[^\n]+")  # as Python counts them; str.splitlines breaks at form feeds too


def mutants(task: Task) -> Iterator[Tree]:
    """Trees that differ from the reference by one fault each, in the order of `faults`."""
    for fault in faults(task):
        with suppress(EditError):  # lines that stand twice
            yield edited(task.reference, (fault,))


def faults(task: Task) -> Iterator[Edit]:
    """One edit of whole lines for each fault in the lines that the reference adds: the first of each line, then the second ..."""
    for path in sources(task):
        file = task.reference.by_path[path]
        added = _added(task, path)
        seen = Counter[int]()
        ranked: list[tuple[int, Mutation]] = []
        for one in mutations(file.content):
            if one.operator is not Operator.BODY and added.issuperset(range(one.first_line, one.last_line + 1)):
                seen[one.first_line] += 1
                ranked.append((seen[one.first_line], one))
        for _, mutation in sorted(ranked, key=lambda pair: (pair[0], pair[1].operator in _OFTEN_UNSEEN)):
            if mutated(file.content, mutation) is not None:
                yield _edit(path, file.content, mutation)


def sources(task: Task) -> list[str]:
    """The Python files outside tests that the reference adds or changes."""
    return [change.path for change in difference(task.base, task.reference) if change.new and is_source(change.path)]


def is_source(path: str) -> bool:
    """Whether a path is a Python file that is no test."""
    return path.endswith(".py") and not re.search(r"(^|/)(tests?/|test_|conftest)|_test\.py$", path)


def changes(task: Task) -> Iterator[tuple[str, str, str]]:
    """(path, old text, new text) of each place that the reference changes in its sources."""
    for path in sources(task):
        old, new = _lines(task, path)
        for kind, a, b, c, d in difflib.SequenceMatcher(a=old, b=new, autojunk=False).get_opcodes():
            if kind in {"replace", "insert"}:
                yield path, "".join(old[a:b]), "".join(new[c:d])


def _added(task: Task, path: str) -> frozenset[int]:
    """The numbers of the lines that the reference has and the base has not, from 1."""
    old, new = _lines(task, path)
    places = difflib.SequenceMatcher(a=old, b=new, autojunk=False).get_opcodes()
    return frozenset(line for kind, _, _, c, d in places if kind in {"replace", "insert"} for line in range(c + 1, d + 1))


def _lines(task: Task, path: str) -> tuple[list[str], list[str]]:
    before = task.base.get(path)
    old, new = (before.text if before else ""), task.reference.by_path[path].text
    return _LINE.findall(old), _LINE.findall(new)


def _edit(path: str, content: bytes, mutation: Mutation) -> Edit:
    start = content.rfind(b"\n", 0, mutation.start) + 1
    end = content.find(b"\n", max(mutation.start, mutation.end - 1))
    end = len(content) if end < 0 else end + 1
    find = content[start:end]
    new = content[start : mutation.start] + mutation.new + content[mutation.end : end]
    return Edit(file=path, find=find.decode("utf-8", "surrogateescape"), replace=new.decode("utf-8", "surrogateescape"))
