"""Tables in GitHub's Markdown."""

from texttable.layout import make_grid
from texttable.table import Table
from texttable.width import display_width, pad

_MARKS = {
    "left": (":", "-"),
    "center": (":", ":"),
    "right": ("-", ":"),
    "decimal": ("-", ":"),
}


def to_markdown(table: Table) -> str:
    """Write a table as Markdown, padded so that the source is readable as well.

    The footer becomes a last row in bold. Cells are never wrapped.
    """
    grid = make_grid(table)
    rows = [[escape(cell) for cell in row] for row in [grid.header, *grid.body]]
    if grid.footer:
        rows.append([embolden(escape(cell)) for cell in grid.footer])
    widths = [max(3, *map(display_width, cells)) for cells in zip(*rows, strict=True)]
    aligns = [column.align for column in table.columns]
    marks = [
        _MARKS[align][0] + "-" * (width - 2) + _MARKS[align][1]
        for align, width in zip(aligns, widths, strict=True)
    ]
    lines = [
        [
            pad(cell, width, align)
            for cell, width, align in zip(row, widths, aligns, strict=True)
        ]
        for row in rows
    ]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [lines[0], marks, *lines[1:]])


def escape(text: str) -> str:
    """Write a cell so that it stays in its place: no bare pipe, no line break."""
    return "<br>".join(text.splitlines()).replace("|", "\\|")


def embolden(text: str) -> str:
    """Set a text in bold, and leave blanks around it outside."""
    words = text.strip()
    return text.replace(words, f"**{words}**") if words else text
