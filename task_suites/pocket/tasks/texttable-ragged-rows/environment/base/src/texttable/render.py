"""Drawing a table for the terminal."""

from texttable.borders import find_border
from texttable.layout import make_grid, row_lines, shrink
from texttable.table import Table


def render(table: Table, border: str = "ascii", max_width: int | None = None) -> str:
    """Draw a table; its lines are joined by line breaks, with none at the end.

    With ``max_width`` the columns are narrowed until no line is wider.

    Raises TableError for an unknown border or a table that cannot be narrowed enough.
    """
    style = find_border(border)
    grid = make_grid(table)
    widths = grid.widths()
    if max_width is not None:
        room = max_width - style.overhead(len(widths))
        widths = shrink(widths, room, [column.fixed for column in grid.columns])

    def block(row: list[str]) -> list[str]:
        return [style.join(cells) for cells in row_lines(row, grid.columns, widths)]

    lines = [*block(grid.header), style.middle.draw(widths)]
    for row in grid.body:
        lines += block(row)
    if grid.footer:
        lines += [style.middle.draw(widths), *block(grid.footer)]
    if style.top:
        lines.insert(0, style.top.draw(widths))
    if style.bottom:
        lines.append(style.bottom.draw(widths))
    return "\n".join(lines)
