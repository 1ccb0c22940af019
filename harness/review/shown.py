"""The change as reviewers see it: one unified diff, original or stripped, bounded, with nothing invisible in it."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING

from harness.printable import printable
from harness.review.strip import stripped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.review.personas import Persona, View
    from harness.rollout import Change
    from harness.tree import File

CONTEXT = 5
MAX_LINES = 20_000  # of one file between its first and last difference: difflib's time is quadratic in it


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownFile:
    """One file's part of the diff: headers and hunks as lines without line ends. `path` is its new path."""

    path: str
    lines: tuple[str, ...]

    @property
    def hunk_lines(self) -> tuple[str, ...]:
        """Lines from the first hunk on, without the hunks' own headers."""
        start = next((number for number, line in enumerate(self.lines) if line.startswith("@@ ")), len(self.lines))
        return tuple(line for line in self.lines[start:] if not line.startswith(("@@ ", "\\ ")))


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What a reviewer sees of a change. `problem` says why it cannot be shown whole; then nothing may be asked."""

    view: View
    files: tuple[ShownFile, ...]
    problem: str = ""

    @property
    def text(self) -> str:
        """The diff as one text, without a line end after the last line."""
        return "\n".join(line for file in self.files for line in file.lines)

    @property
    def changed(self) -> tuple[tuple[str, str], ...]:
        """Added and removed lines, each with its file and its sign: what the change itself says, without context."""
        return tuple((file.path, line) for file in self.files for line in file.hunk_lines if line[:1] in {"+", "-"})


def shown(change: Change, view: View, limit: int) -> Shown:
    """The whole change as a diff of at most `limit` characters, or a problem in words: never a silent cut."""
    renames = {new: old for old, new in change.renames}
    gone = set(renames.values())
    old = {item.path: item.old for item in change.files}
    files: list[ShownFile] = []
    size = 0
    for item in change.files:
        if item.new is None and item.path in gone:
            continue
        source = renames.get(item.path, item.path)
        lines = _file_diff(source, item.path, old.get(source), item.new, view)
        if lines is None:
            return Shown(view=view, files=(), problem=f"too large: {item.path} differs over more than {MAX_LINES} lines")
        files.append(ShownFile(path=item.path, lines=lines))
        size += sum(len(line) + 1 for line in lines)
        if size > limit:
            return Shown(view=view, files=(), problem=f"too large: the change has more than {limit} characters")
    return Shown(view=view, files=tuple(files))


def within(shown_change: Shown, persona: Persona) -> Shown:
    """Only the files in a persona's scope."""
    files = tuple(file for file in shown_change.files if persona.sees(file.path))
    return Shown(view=shown_change.view, files=files, problem=shown_change.problem)


def _file_diff(source: str, path: str, old: File | None, new: File | None, view: View) -> tuple[str, ...] | None:
    header = [f"diff --git a/{source} b/{path}", *_mode(old, new)]
    if source != path:
        header += [f"rename from {source}", f"rename to {path}"]
    before, after = (_content(file, view) for file in (old, new))
    if b"\0" in before or b"\0" in after:
        body = [f"Binary files differ ({len(before)} bytes before, {len(after)} after)"]
    else:
        names = f"a/{source}" if old else "/dev/null", f"b/{path}" if new else "/dev/null"
        hunks = _hunks(_lines(before), _lines(after), names)
        if hunks is None:
            return None
        body = hunks
    return tuple(printable(line, lines=False) for line in (*header, *body))


def _mode(old: File | None, new: File | None) -> Iterator[str]:
    if old is None and new is not None:
        yield f"new file mode {new.mode:o}"
    elif new is None and old is not None:
        yield f"deleted file mode {old.mode:o}"
    elif old and new and old.mode != new.mode:
        yield from (f"old mode {old.mode:o}", f"new mode {new.mode:o}")


def _content(file: File | None, view: View) -> bytes:
    content = file.content if file else b""
    return stripped(content) if view == "stripped" else content


def _lines(content: bytes) -> list[str]:
    """Lines by line feed alone, as git counts them; the last one marked where the feed is missing."""
    lines = content.decode("utf-8", "surrogateescape").split("\n")
    last = lines.pop()
    return [*lines, f"{last}\n\\ No newline at end of file"] if last else lines


def _hunks(before: list[str], after: list[str], names: tuple[str, str]) -> list[str] | None:
    """Unified hunks. What is equal at both ends is taken off first, but for the context and the line numbers."""
    head = _common(before, after)
    tail = _common(before[head:][::-1], after[head:][::-1])
    if max(len(before), len(after)) - head - tail > MAX_LINES:
        return None
    start, end = max(0, head - CONTEXT), max(0, tail - CONTEXT)
    old, new = (lines[start : len(lines) - end] for lines in (before, after))
    diff = difflib.unified_diff(old, new, *names, n=CONTEXT, lineterm="")
    return [part for line in diff for part in _shifted(line, start).split("\n")]


def _common(left: list[str], right: list[str]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(left, right, strict=False)))


def _shifted(line: str, by: int) -> str:
    if not line.startswith("@@ ") or not by:
        return line
    _, old, new, _ = line.split(" ")
    return f"@@ {_moved(old, by)} {_moved(new, by)} @@"


def _moved(span: str, by: int) -> str:
    first, comma, count = span[1:].partition(",")
    return f"{span[0]}{int(first) + by}{comma}{count}"
