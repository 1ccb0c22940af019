"""The change as a reviewer's request shows it: the diff between the fence lines, read back into lines per file."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.models.rehearsal.code_lines import folded

if TYPE_CHECKING:
    from harness.models.rehearsal.code_lines import Bag

_FENCED = re.compile(r"^===== BEGIN CHANGE ([0-9a-f]{24}) =====\n(.*?)\n===== END CHANGE \1 =====$", re.DOTALL | re.MULTILINE)
_FILE = re.compile(r"^diff --git a/.* b/(.*)$", re.MULTILINE)
_SHORTEST = 4  # characters that are not blank: what a quote must hold to count


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownChange:
    """Changed lines by file, as shown without their sign: (sign, line) in the order of the diff."""

    stripped: bool
    files: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]

    def delta(self, path: str) -> Bag:
        """What the change adds to (positive) and takes from (negative) a file."""
        bag: Bag = Counter()
        for sign, line in dict(self.files).get(path, ()):
            bag[folded(line)] += 1 if sign == "+" else -1
        return Counter({line: count for line, count in bag.items() if line and count})

    def quote(self, path: str, wanted: str) -> tuple[str, str]:
        """(file, line) to quote: the wanted line as it is shown, else one that the change made, in that file if it can be."""
        mine = dict(self.files).get(path, ())
        exact = [line for sign, line in mine if sign == "+" and folded(line) == wanted]
        if exact and _quotable(exact[0]):
            return path, exact[0]
        others = [(path, line) for _, line in mine] + [(name, line) for name, lines in self.files for _, line in lines]
        return next(((name, line) for name, line in others if _quotable(line)), ("", ""))


def read_change(text: str) -> ShownChange | None:
    """The change in a request's text, or None where there is no whole one."""
    found = _FENCED.search(text)
    if not found:
        return None
    pieces = _FILE.split(found.group(2))[1:]
    files = tuple((path, _changed(body)) for path, body in zip(pieces[::2], pieces[1::2], strict=True))
    return ShownChange(stripped="\nView: stripped." in text[: found.start()], files=files)


def _changed(body: str) -> tuple[tuple[str, str], ...]:
    """The lines below the first hunk's header; above it, `---` and `+++` name files."""
    lines = body.split("\n")
    start = next((number for number, line in enumerate(lines) if line.startswith("@@ ")), len(lines))
    return tuple((line[0], line[1:]) for line in lines[start:] if line[:1] in {"+", "-"})


def _quotable(line: str) -> bool:
    return len("".join(line.split())) >= _SHORTEST
