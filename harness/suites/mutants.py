"""Mutants: a reference with one operator or constant flipped in a line that it adds. Whether one is bad, only tests can say."""

from __future__ import annotations

import difflib
import re
from contextlib import suppress
from typing import TYPE_CHECKING

from harness.tree import Edit, EditError, difference, edited

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.task import Task
    from harness.tree import Tree

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


def mutants(task: Task) -> Iterator[Tree]:
    """Trees that differ from the reference by one flip each, in the order of its lines."""
    for path, _, new in changes(task):
        for line in new.splitlines():
            broken = flipped(line)
            if broken:
                with suppress(EditError):  # a line that stands twice
                    yield edited(task.reference, (Edit(file=path, find=line, replace=broken),))


def sources(task: Task) -> list[str]:
    """The Python files outside tests that the reference adds or changes."""
    return [
        change.path
        for change in difference(task.base, task.reference)
        if change.new and change.path.endswith(".py") and not re.search(r"(^|/)(tests?/|test_|conftest)", change.path)
    ]


def changes(task: Task) -> Iterator[tuple[str, str, str]]:
    """(path, old text, new text) of each place that the reference changes in its sources."""
    for path in sources(task):
        before = task.base.get(path)
        old = before.text.splitlines(keepends=True) if before else []
        new = task.reference.by_path[path].text.splitlines(keepends=True)
        for kind, a, b, c, d in difflib.SequenceMatcher(a=old, b=new, autojunk=False).get_opcodes():
            if kind in {"replace", "insert"}:
                yield path, "".join(old[a:b]), "".join(new[c:d])


def flipped(line: str) -> str | None:
    """The line with its first operator or constant flipped, without its comment; None where there is none to flip."""
    code = line.partition("#")[0]
    if not code.strip() or code.lstrip().startswith(("def ", "class ", "import ", "from ", "@", '"', "'")):
        return None
    for pattern, replacement in _FLIPS:
        broken, count = re.subn(pattern, replacement, code, count=1)
        if count and broken != code:
            return broken.rstrip()
    return None
