"""The answers that the rehearsal's coder may give: one tree per outcome, made from the reference and three sets of edits.

Tasks that ship samples have exact labels. For others the edits are guessed: one fault put into the added
lines (or the largest hunk taken back), trailing blanks, and a debugging helper left behind. Those labels are likely, not sure.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from harness.suites.mutants import changes, faults, sources
from harness.task import Samples, Task
from harness.tree import Edit, EditError, Tree, edited

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    edits = samples_of(task).edits(tests=label.tests, style=label.style, review=label.tests and label.review)
    return edited(task.reference, edits)


@cache
def samples_of(task: Task) -> Samples:
    """The task's own samples, or guessed ones that do not get into each other's way."""
    if task.samples:
        return task.samples
    behaviour = _first_that_fits(task, (), _broken(task))
    style = _first_that_fits(task, behaviour, _untidy(task))
    defect = _first_that_fits(task, behaviour + style, _debris(task))
    return Samples(behaviour=behaviour, style=style, defect=defect)


def added_text(task: Task) -> str:
    """The largest piece of source text that the reference adds to the base."""
    return max((new for _, _, new in changes(task)), key=len, default="")


def _broken(task: Task) -> Iterator[Edit]:
    yield from faults(task)
    for path, old, new in sorted(changes(task), key=lambda change: len(change[2]), reverse=True):
        yield Edit(file=path, find=new, replace=old)


def _untidy(task: Task) -> Iterator[Edit]:
    for path, _, new in changes(task):
        for line in new.splitlines():
            if line.strip():
                yield Edit(file=path, find=f"{line}\n", replace=f"{line}  \n\n\n\n\n")


def _debris(task: Task) -> Iterator[Edit]:
    for path in sources(task):
        lines = task.reference.by_path[path].text.split("\n")
        for count in range(2, len(lines) + 1):
            tail = "\n".join(lines[-count:])
            yield Edit(file=path, find=tail, replace=tail + _DEBRIS)
    for path in sources(task)[:1]:
        yield Edit(file=f"{path.removesuffix('.py')}_debug.py", create=_DEBRIS.lstrip("\n"))


def _first_that_fits(task: Task, taken: tuple[Edit, ...], edits: Iterator[Edit]) -> tuple[Edit, ...]:
    for edit in edits:
        try:
            if edited(task.reference, (edit,)) != task.reference and edited(task.reference, (*taken, edit)):
                return (edit,)
        except EditError:
            continue
    return ()
