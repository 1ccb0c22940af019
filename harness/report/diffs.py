"""The change of the skill between two versions, side by side: lines in pairs, with the words that differ marked."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from dataclasses import dataclass
from itertools import groupby, product, zip_longest
from typing import TYPE_CHECKING

from harness.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.tree import Tree

CONTEXT = 2  # unchanged lines around a change
MOST_PAIRS = 2_500  # lines compared with each other in one place; what is rewritten beyond that is paired as it stands

Pieces = tuple[tuple[bool, str], ...]
Numbered = tuple[int, str]  # a line with its number


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """A line in one version: its number, and its text in pieces (whether the other side has it not, text)."""

    number: int
    pieces: Pieces


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Two lines beside each other. `kind` is c (changed), h (only a heading, that the next rows stand under), or empty.

    In a changed row a side is None where the other one's line was added, or removed.
    """

    kind: str
    old: Side | None = None
    new: Side | None = None
    heading: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileDiff:
    """One file's change: lines added and removed, words gained, and its rows."""

    path: str
    added: int
    removed: int
    words: int
    rows: tuple[Row, ...]


def skill_diff(old: Tree, new: Tree) -> tuple[FileDiff, ...]:
    """Every file of a skill that differs, with two lines around each change and the heading that it stands under."""
    found = []
    for path in sorted(old.by_path.keys() | new.by_path.keys()):
        before, after = (tree.by_path[path].text if path in tree.by_path else "" for tree in (old, new))
        if before != after:
            found.append(_file_diff(path, before, after))
    return tuple(found)


def _file_diff(path: str, before: str, after: str) -> FileDiff:
    ends_differ = bool(before and after) and before.endswith("\n") != after.endswith("\n")
    old, new = (_lines(text, told=ends_differ) for text in (before, after))
    rows = tuple(_rows(old, new))
    return FileDiff(
        path=printable(path, lines=False),
        added=sum(row.kind == "c" and row.new is not None for row in rows),
        removed=sum(row.kind == "c" and row.old is not None for row in rows),
        words=len(after.split()) - len(before.split()),
        rows=rows,
    )


def _lines(text: str, *, told: bool) -> list[str]:
    """The lines as they are shown. A line feed alone ends one: whatever else ends lines elsewhere is a character to be seen.

    With `told` it is said where the last line has no line feed, since nothing else would show it.
    """
    *lines, rest = printable(text).split("\n")
    if rest:
        lines.append(f"{rest}⟨no line feed⟩" if told else rest)
    return lines


def _rows(old: list[str], new: list[str]) -> Iterator[Row]:
    left, right = list(enumerate(old, start=1)), list(enumerate(new, start=1))
    for group in difflib.SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(CONTEXT):
        if heading := _heading(new, group[0][3]):
            yield Row(kind="h", heading=heading)
        for tag, a, a_end, b, b_end in group:
            if tag == "equal":
                yield from (_row("", *pair) for pair in zip(left[a:a_end], right[b:b_end], strict=True))
            else:
                yield from (_row("c", *pair) for pair in _paired(left[a:a_end], right[b:b_end]))


def _row(kind: str, old: Numbered | None, new: Numbered | None) -> Row:
    left, right = _marked(old[1] if old else "", new[1] if new else "")
    return Row(
        kind=kind,
        old=Side(number=old[0], pieces=left) if old else None,
        new=Side(number=new[0], pieces=right) if new else None,
    )


def _heading(lines: list[str], place: int) -> str:
    """The nearest heading above a place, where the shown lines do not begin with it."""
    if place < len(lines) and lines[place].startswith("#"):
        return ""
    return next((line for line in reversed(lines[:place]) if line.startswith("#")), "")


def _paired(old: list[Numbered], new: list[Numbered]) -> Iterator[tuple[Numbered | None, Numbered | None]]:
    """The lines of one changed place beside each other: those that are alike, and between these each as it stands."""
    a = b = 0
    end = len(old), len(new)
    for alike_a, alike_b in (*_alike([text for _, text in old], [text for _, text in new]), end):
        yield from zip_longest(old[a:alike_a], new[b:alike_b])
        yield from zip(old[alike_a : alike_a + 1], new[alike_b : alike_b + 1], strict=True)
        a, b = alike_a + 1, alike_b + 1


def _alike(old: list[str], new: list[str]) -> Iterator[tuple[int, int]]:
    """Places of lines that are alike, in order: of all ways to pair them the one with most words in common, the first such."""
    if len(old) * len(new) > MOST_PAIRS:
        return
    before, after = ([_words(line) for line in lines] for lines in (old, new))
    common = [[_common(one, other) for other in after] for one in before]
    best = [[0] * (len(new) + 1) for _ in range(len(old) + 1)]  # what can be had from two places on
    for a, b in product(reversed(range(len(old))), reversed(range(len(new)))):
        together = common[a][b] + best[a + 1][b + 1] if common[a][b] else 0
        best[a][b] = max(together, best[a + 1][b], best[a][b + 1])
    a = b = 0
    while a < len(old) and b < len(new):
        if common[a][b] and best[a][b] == common[a][b] + best[a + 1][b + 1]:
            yield a, b
            a, b = a + 1, b + 1
        elif best[a][b] == best[a + 1][b]:
            a += 1
        else:
            b += 1


def _words(line: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", line))


def _common(before: Counter[str], after: Counter[str]) -> int:
    """How many words two lines have in common; 0 unless it is more than half of the shorter one: then they are not alike."""
    shared = (before & after).total()
    return shared if 2 * shared > min(before.total(), after.total()) else 0


def _marked(old: str, new: str) -> tuple[Pieces, Pieces]:
    """Both lines in pieces, what differs marked; of lines that are not alike nothing is, since all of it would be."""
    if old == new or not _common(_words(old), _words(new)):
        return ((False, old),), ((False, new),)
    before, after = (re.findall(r"\s+|\w+|[^\w\s]", line) for line in (old, new))
    codes = difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    left = [(tag != "equal", "".join(before[start:end])) for tag, start, end, _, _ in codes]
    right = [(tag != "equal", "".join(after[start:end])) for tag, _, _, start, end in codes]
    return _joined(left), _joined(right)


def _joined(pieces: list[tuple[bool, str]]) -> Pieces:
    """The pieces with text; a blank between two marked ones is marked with them."""
    last = len(pieces) - 1
    wide = [(marked or (text.isspace() and 0 < at < last), text) for at, (marked, text) in enumerate(pieces) if text]
    return tuple((marked, "".join(text for _, text in run)) for marked, run in groupby(wide, lambda piece: piece[0]))
