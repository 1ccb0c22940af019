"""The answers that the rehearsal's coder may give: one tree per outcome, made from the reference and three sets of edits.

Tasks that ship samples have exact labels. For others the edits are guessed: one operator or constant flipped in an added
line (or the largest hunk taken back), trailing blanks, and a debugging helper left behind. Those labels are likely, not sure.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from harness.task import Samples, Task
from harness.tree import Edit, EditError, Tree, difference, edited

if TYPE_CHECKING:
    from collections.abc import Iterator

_FLIPS = (
    (r"(?<![<>=!])<=(?!=)", "<"),
    (r"(?<![<>=!])>=(?!=)", ">"),
    (r"(?<![<>=!-])<(?![<=])", "<="),
    (r"(?<![<>=!-])>(?![>=])", ">="),
    (r"==", "!="),
    (r"\bis not None\b", "is None"),
    (r"\bif not ", "if "),
    (r"\band\b", "or"),
    (r"\bTrue\b", "False"),
    (r"(?<=\s)\+(?=\s)", "-"),
    (r"\breturn (?!None\b).+", "return None"),
)
_DEBRIS = "\n\ndef _debug_dump(value: object) -> str:\n    return repr(value)\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """The outcome of one sample solution; a defect does not matter where tests fail, since reviewers refuse those anyway."""

    tests: bool
    style: bool
    review: bool


@cache
def solution(task: Task, label: Label) -> Tree:
    """The tree that an agent with this outcome leaves."""
    samples = samples_of(task)
    edits: tuple[Edit, ...] = ()
    if not label.tests:
        edits += samples.behaviour
    elif not label.review:
        edits += samples.defect
    if not label.style:
        edits += samples.style
    return edited(task.reference, edits)


@cache
def samples_of(task: Task) -> Samples:
    """The task's own samples, or guessed ones."""
    return task.samples or Samples(behaviour=_behaviour(task), style=_style(task), defect=_defect(task))


def sources(task: Task) -> list[str]:
    """The Python files outside tests that the reference adds or changes."""
    changes = difference(task.base, task.reference)
    return [
        change.path
        for change in changes
        if change.new and change.path.endswith(".py") and not re.search(r"(^|/)(tests?/|test_|conftest)", change.path)
    ]


def _behaviour(task: Task) -> tuple[Edit, ...]:
    for path in sources(task):
        for _, new in _hunks(task, path):
            for line in new.splitlines():
                if flipped := _flipped(line):
                    edit = Edit(file=path, find=line, replace=flipped)
                    if _fits(task.reference, edit):
                        return (edit,)
    hunks = [(len(new) + len(old), path, old, new) for path in sources(task) for old, new in _hunks(task, path)]
    for _, path, old, new in sorted(hunks, reverse=True):
        edit = Edit(file=path, find=new, replace=old)
        if _fits(task.reference, edit):
            return (edit,)
    return ()


def _style(task: Task) -> tuple[Edit, ...]:
    for path in sources(task):
        for _, new in _hunks(task, path):
            for line in new.splitlines():
                edit = Edit(file=path, find=f"{line}\n", replace=f"{line}  \n\n\n\n\n")
                if line.strip() and _fits(task.reference, edit):
                    return (edit,)
    return ()


def _defect(task: Task) -> tuple[Edit, ...]:
    for path in sources(task):
        text = task.reference.by_path[path].text
        lines = text.rstrip("\n").split("\n")
        for count in range(1, len(lines) + 1):
            tail = "\n".join(lines[-count:]) + "\n"
            edit = Edit(file=path, find=tail, replace=tail + _DEBRIS)
            if text.endswith(tail) and _fits(task.reference, edit):
                return (edit,)
    return ()


def _flipped(line: str) -> str | None:
    code = line.partition("#")[0]
    if not code.strip() or code.lstrip().startswith(("def ", "class ", "import ", "from ", "@", '"', "'")):
        return None
    for pattern, replacement in _FLIPS:
        flipped, count = re.subn(pattern, replacement, code, count=1)
        if count and flipped != code:
            return flipped.rstrip()
    return None


def _hunks(task: Task, path: str) -> Iterator[tuple[str, str]]:
    """(old text, new text) of each place that the reference changes in a file."""
    before = task.base.get(path)
    old = before.text.splitlines(keepends=True) if before else []
    new = task.reference.by_path[path].text.splitlines(keepends=True)
    for kind, a, b, c, d in difflib.SequenceMatcher(a=old, b=new, autojunk=False).get_opcodes():
        if kind in {"replace", "insert"}:
            yield "".join(old[a:b]), "".join(new[c:d])


def _fits(tree: Tree, edit: Edit) -> bool:
    try:
        return edited(tree, (edit,)) != tree
    except EditError:
        return False
