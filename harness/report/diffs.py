"""Changes as lines of a table: of the skill between two versions, and of a project as an agent's patch shows it."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from unidiff.errors import UnidiffParseError
from unidiff.patch import PatchSet

from harness.decision.wording import MINUS
from harness.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.tree import Tree

CONTEXT = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line of a change: its numbers before and after (empty where it is not), its sign, its text.

    `kind` is a (added), d (removed), h (a heading), or empty (unchanged).
    """

    kind: str
    old: str = ""
    new: str = ""
    text: str = ""

    @property
    def sign(self) -> str:
        """The sign in its own cell."""
        return {"a": "+", "d": MINUS}.get(self.kind, "")


@dataclass(frozen=True, slots=True, kw_only=True)
class FileDiff:
    """One file's change."""

    path: str
    added: int
    removed: int
    words: int
    lines: tuple[Line, ...]


def skill_diff(old: Tree, new: Tree) -> tuple[FileDiff, ...]:
    """Every file of a skill that differs, with two lines around each change and the heading that it stands under."""
    paths = sorted(old.by_path.keys() | new.by_path.keys())
    found = []
    for path in paths:
        before, after = (tree.by_path[path].text if path in tree.by_path else "" for tree in (old, new))
        if before != after:
            found.append(_file_diff(path, before, after))
    return tuple(found)


def _file_diff(path: str, before: str, after: str) -> FileDiff:
    lines = tuple(_lines(before.splitlines(), after.splitlines()))
    return FileDiff(
        path=printable(path, lines=False),
        added=sum(line.kind == "a" for line in lines),
        removed=sum(line.kind == "d" for line in lines),
        words=len(after.split()) - len(before.split()),
        lines=lines,
    )


def _lines(old: list[str], new: list[str]) -> Iterator[Line]:
    for group in difflib.SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(CONTEXT):
        if heading := _heading(new, group[0][3]):
            yield Line(kind="h", text=printable(heading, lines=False))
        for tag, old_start, old_end, new_start, new_end in group:
            if tag == "equal":
                pairs = zip(range(old_start, old_end), range(new_start, new_end), strict=True)
                yield from (Line(kind="", old=str(a + 1), new=str(b + 1), text=_shown(new[b])) for a, b in pairs)
            else:
                yield from (Line(kind="d", old=str(a + 1), text=_shown(old[a])) for a in range(old_start, old_end))
                yield from (Line(kind="a", new=str(b + 1), text=_shown(new[b])) for b in range(new_start, new_end))


def _heading(lines: list[str], place: int) -> str:
    """The nearest heading above a place, where the shown lines do not begin with it."""
    if place < len(lines) and lines[place].startswith("#"):
        return ""
    return next((line for line in reversed(lines[:place]) if line.startswith("#")), "")


def patch_lines(patch: bytes) -> tuple[Line, ...]:
    """An agent's patch, file by file; a patch that cannot be read gives no line."""
    try:
        files = PatchSet(patch.decode("utf-8", "surrogateescape"))
    except (UnidiffParseError, ValueError):
        return ()
    found: list[Line] = []
    for file in files:
        found.append(Line(kind="h", text=printable(file.path, lines=False)))
        for line in (line for hunk in file for line in hunk):
            kind = {"+": "a", "-": "d"}.get(line.line_type, "")
            old, new = (str(number or "") for number in (line.source_line_no, line.target_line_no))
            found.append(Line(kind=kind, old=old, new=new, text=_shown(line.value.rstrip("\n"))))
    return tuple(found)


def _shown(text: str) -> str:
    """Tabs stay: the cell keeps white space."""
    return printable(text)
