"""What a table is made of: columns, rows of values, a footer."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from texttable.errors import TableError
from texttable.numbers import format_number

Cell = str | int | float | Decimal | None

ALIGNMENTS = ("left", "right", "center")


@dataclass(frozen=True, slots=True)
class Column:
    """A heading, and how the values below it are written."""

    header: str
    align: str = "left"
    max_width: int | None = None
    places: int | None = None
    grouping: str = ""
    fixed: bool = False

    def __post_init__(self) -> None:
        """Refuse what no column can be."""
        if self.align not in ALIGNMENTS:
            raise TableError(f"align is one of {', '.join(ALIGNMENTS)}, not {self.align!r}")
        if self.max_width is not None and self.max_width < 1:
            raise TableError("max_width must be 1 or more")

    def text(self, value: Cell) -> str:
        """Write one value of the column; ``None`` is an empty cell."""
        if value is None:
            return ""
        if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
            return str(value)
        return format_number(value, self.places, self.grouping)


@dataclass(frozen=True, slots=True)
class Table:
    """Columns and rows, every row with one cell for each column."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    footer: tuple[Cell, ...] | None = None

    @classmethod
    def of(
        cls,
        columns: Iterable[Column | str],
        rows: Iterable[Iterable[Cell]],
        footer: Iterable[Cell] | None = None,
    ) -> "Table":
        """Build a table; a plain string makes a column, a short row gets empty cells.

        Raises TableError if there is no column or if a row is too long.
        """
        made = tuple(Column(item) if isinstance(item, str) else item for item in columns)
        if not made:
            raise TableError("a table needs a column")
        body = tuple(
            complete(row, len(made), f"row {number}")
            for number, row in enumerate(rows, start=1)
        )
        last = None if footer is None else complete(footer, len(made), "the footer")
        return cls(made, body, last)


def complete(row: Iterable[Cell], count: int, name: str) -> tuple[Cell, ...]:
    """Return a row with empty cells added on the right.

    Raises TableError, with the name of the row, if it has more than ``count`` cells.
    """
    cells = tuple(row)
    if len(cells) > count:
        raise TableError(f"{name} has {len(cells)} cells for {count} columns")
    return cells + (None,) * (count - len(cells))
