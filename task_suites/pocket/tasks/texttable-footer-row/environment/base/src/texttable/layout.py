"""From a table to lines of text in columns of fixed width, without any border."""

from collections.abc import Sequence
from dataclasses import dataclass

from texttable.errors import TableError
from texttable.numbers import align_points
from texttable.table import Column, Table
from texttable.width import display_width, pad
from texttable.wrap import wrap

NARROWEST = 3


@dataclass(frozen=True, slots=True)
class Grid:
    """The cells of a table as text."""

    columns: tuple[Column, ...]
    header: list[str]
    body: list[list[str]]

    def widths(self) -> list[int]:
        """Return the width that each column asks for: its longest line, or its limit."""
        asked = []
        for column, *cells in zip(self.columns, self.header, *self.body, strict=True):
            lines = [line for cell in cells for line in cell.splitlines()]
            longest = max((display_width(line) for line in lines), default=0)
            asked.append(min(longest, column.max_width or longest))
        return asked


def make_grid(table: Table) -> Grid:
    """Write out every cell of a table and line up decimal points."""
    texts = []
    for place, column in enumerate(table.columns):
        cells = [column.text(row[place]) for row in table.rows]
        texts.append(align_points(cells) if column.align == "decimal" else cells)
    rows = [[cells[number] for cells in texts] for number in range(len(table.rows))]
    return Grid(table.columns, [column.header for column in table.columns], rows)


def shrink(widths: list[int], room: int, fixed: Sequence[bool]) -> list[int]:
    """Narrow the widest column, the first of equals, until all take no more than room.

    Fixed columns keep their width. The others get no narrower than ``NARROWEST``, or
    than they are if that is less. Raises TableError if that is not enough.
    """
    fitted = list(widths)
    free = [place for place, keeps in enumerate(fixed) if not keeps]
    while sum(fitted) > room:
        widest = max(free, key=fitted.__getitem__, default=None)
        if widest is None or fitted[widest] <= NARROWEST:
            raise TableError(f"{sum(fitted)} columns of text do not fit into {room}")
        fitted[widest] -= 1
    return fitted


def row_lines(
    row: list[str], columns: tuple[Column, ...], widths: list[int]
) -> list[list[str]]:
    """Wrap and pad the cells of one row; return its lines, each with a text per column."""
    wrapped = [wrap(cell, width) for cell, width in zip(row, widths, strict=True)]
    height = max(len(lines) for lines in wrapped)
    return [
        [
            pad(lines[place] if place < len(lines) else "", width, column.align)
            for lines, width, column in zip(wrapped, widths, columns, strict=True)
        ]
        for place in range(height)
    ]
