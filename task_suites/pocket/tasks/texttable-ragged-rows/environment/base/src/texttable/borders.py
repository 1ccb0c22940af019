"""The border styles: what is drawn around and between cells."""

from dataclasses import dataclass

from texttable.errors import TableError
from texttable.width import display_width


@dataclass(frozen=True, slots=True)
class Line:
    """The pieces of one drawn line: left end, filling of a cell, crossing, right end."""

    left: str
    fill: str
    cross: str
    right: str

    def draw(self, widths: list[int]) -> str:
        """Draw the line over cells of these widths."""
        return (
            self.left + self.cross.join(self.fill * width for width in widths) + self.right
        )


@dataclass(frozen=True, slots=True)
class Border:
    """One style: lines above, between and below, and what stands around cells."""

    top: Line | None
    middle: Line
    bottom: Line | None
    sides: Line

    def join(self, cells: list[str]) -> str:
        """Put the padded cells of one line together, without blanks at its end."""
        return (self.sides.left + self.sides.cross.join(cells) + self.sides.right).rstrip()

    def overhead(self, count: int) -> int:
        """Return the columns that a row of ``count`` cells needs beside its text."""
        ends = display_width(self.sides.left + self.sides.right)
        return ends + display_width(self.sides.cross) * (count - 1)


_ASCII_RULE = Line("+-", "-", "-+-", "-+")

BORDERS = {
    "ascii": Border(_ASCII_RULE, _ASCII_RULE, _ASCII_RULE, Line("| ", " ", " | ", " |")),
    "box": Border(
        Line("┌─", "─", "─┬─", "─┐"),
        Line("├─", "─", "─┼─", "─┤"),
        Line("└─", "─", "─┴─", "─┘"),
        Line("│ ", " ", " │ ", " │"),
    ),
    "plain": Border(None, Line("", "-", "  ", ""), None, Line("", " ", "  ", "")),
}


def find_border(name: str) -> Border:
    """Return the style of that name; TableError lists the names there are."""
    try:
        return BORDERS[name]
    except KeyError:
        raise TableError(f"border is one of {', '.join(BORDERS)}, not {name!r}") from None
