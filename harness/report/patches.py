"""An agent's patch as lines of a page, one under the other: with remarks between them, two columns would have no room."""

from __future__ import annotations

from dataclasses import dataclass

from unidiff.errors import UnidiffParseError
from unidiff.patch import PatchSet

from harness.decision.wording import MINUS
from harness.printable import printable


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
        """The sign before the text."""
        return {"a": "+", "d": MINUS}.get(self.kind, "")


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
            found.append(Line(kind=kind, old=old, new=new, text=printable(line.value.rstrip("\n"))))
    return tuple(found)
