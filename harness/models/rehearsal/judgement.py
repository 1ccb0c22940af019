"""What is wrong with a change, found by comparing it with base, reference and the task's lists of edits, never by a label.

A change and the reference are two differences from one base; what is left when one is taken from the other, and lawful
deviations of style are set aside, is either a defect that the task lists, or something broken, missing or too much.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal

from harness.models.rehearsal.code_lines import code_lines, delta, is_code, less
from harness.models.rehearsal.solutions import samples_of
from harness.tree import difference, edited

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.models.rehearsal.code_lines import Bag
    from harness.models.rehearsal.shown_change import ShownChange
    from harness.task import Task

Kind = Literal["wrong", "missing", "defect", "unsafe"]
_TESTS = re.compile(r"(^|/)(tests?/|test_[^/]*\.py$|conftest\.py$)")
_UNSAFE = re.compile(
    r"\b(eval|exec|os\.system|os\.popen|pickle\.loads?|marshal\.loads?|yaml\.load|tempfile\.mktemp|__import__)\(|shell=True"
    r"|verify=False|check_hostname = False|os\.environ|os\.getenv|subprocess\.|socket\.|urlopen\("
    r"|(password|passwd|secret|token|api_key)\w* = [\"'f]",
    re.IGNORECASE,
)
_ALIKE = 0.6  # of two lines: one is the other, altered


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One thing wrong with a change, in words, with the lines that show it: the one there, and the one that should be."""

    kind: Kind
    path: str
    line: str
    expected: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """One file's differences: of the reference from the base, and of each list of edits from the reference."""

    reference: Bag
    style: Bag
    behaviour: Bag
    defect: Bag
    code: frozenset[str]  # lines known to be code, in the reference or a sample; others are guessed by their look


def faults(task: Task, change: ShownChange) -> tuple[Fault, ...]:
    """All faults of a change, those of behaviour first."""
    found = [fault for path in _paths(task, change) for fault in _in_file(task, change, path)]
    return tuple(sorted(found, key=lambda fault: ("wrong", "missing", "defect", "unsafe").index(fault.kind)))


def _paths(task: Task, change: ShownChange) -> list[str]:
    expected = {item.path for item in difference(task.base, task.reference)}
    return sorted(expected | {path for path, _ in change.files})


def _in_file(task: Task, change: ShownChange, path: str) -> Iterator[Fault]:
    known = _known(task, path, code_only=change.stripped)
    residue = change.delta(path)
    residue.subtract(known.reference)
    residue = less(residue, known.style)
    planted = [line for line, count in known.defect.items() if count > 0 and residue[line] > 0 and not _trivial(line)]
    if planted:
        residue = less(residue, known.defect)
        yield Fault(kind=_severity(planted), path=path, line=_telling(planted))
    if path.endswith(".py") and not _TESTS.search(path):
        yield from _in_source(residue, known, path)


def _in_source(residue: Bag, known: _Known, path: str) -> Iterator[Fault]:
    extra = [line for line, count in residue.items() if count > 0 and (line in known.code or is_code(line))]
    lost = [line for line, count in residue.items() if count < 0 and (line in known.code or is_code(line))]
    wrong = [line for line in extra if known.behaviour[line] > 0 or difflib.get_close_matches(line, lost, 1, _ALIKE)]
    if wrong:
        line = _telling(wrong)
        yield Fault(kind="wrong", path=path, line=line, expected=next(iter(difflib.get_close_matches(line, lost, 1, _ALIKE)), ""))
    elif lost:
        yield Fault(kind="missing", path=path, line="", expected=_telling(lost))
    else:
        alien = [line for line in extra if not _trivial(line)]
        if alien:
            yield Fault(kind=_severity(alien), path=path, line=_telling(alien))


@cache
def _known(task: Task, path: str, *, code_only: bool) -> _Known:
    samples = samples_of(task)
    reference = task.reference

    trees = [edited(reference, edits) for edits in (samples.style, samples.behaviour, samples.defect)]
    style, behaviour, defect = (delta(reference, tree, path, code_only=code_only) for tree in trees)
    return _Known(
        reference=delta(task.base, reference, path, code_only=code_only),
        style=style,
        behaviour=behaviour,
        defect=defect,
        code=frozenset(line for tree in (task.base, reference, *trees) for line in code_lines(tree.get(path))),
    )


def _severity(lines: list[str]) -> Kind:
    return "unsafe" if any(_UNSAFE.search(line) for line in lines) else "defect"


def _telling(lines: list[str]) -> str:
    """The line that says most: an unsafe one, else the longest that is no prose."""
    return max(lines, key=lambda line: (bool(_UNSAFE.search(line)), is_code(line), len(line)))


def _trivial(line: str) -> bool:
    return not re.search(r"\w{3}", line) or line in {"try:", "else:", "pass", "continue", "break", "return", "finally:"}
