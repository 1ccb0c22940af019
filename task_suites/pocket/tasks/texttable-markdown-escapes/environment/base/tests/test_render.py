import pytest

from texttable import Column, Table, TableError, render

CITIES = Table.of(
    ["City", Column("People", align="right")],
    [("Zürich", 443037), ("東京", 14192184)],
)


def test_ascii_border():
    """The default has a line above, below the header, and below the body."""
    assert render(CITIES).splitlines() == [
        "+--------+----------+",
        "| City   |   People |",
        "+--------+----------+",
        "| Zürich |   443037 |",
        "| 東京   | 14192184 |",
        "+--------+----------+",
    ]


def test_box_border():
    """Crossings and ends have characters of their own."""
    assert render(CITIES, "box").splitlines()[:3] == [
        "┌────────┬──────────┐",
        "│ City   │   People │",
        "├────────┼──────────┤",
    ]


def test_plain_border_leaves_no_blanks_at_the_end():
    """Without sides there is nothing to hold them."""
    table = Table.of(["a", "b"], [("x", None)])
    assert render(table, "plain").splitlines() == ["a  b", "-  -", "x"]


def test_unknown_border_is_refused():
    """The message lists what there is."""
    with pytest.raises(TableError, match="ascii, box, plain"):
        render(CITIES, "round")


def test_wrapped_cell_makes_a_row_of_several_lines():
    """The other cells of the row are filled up below."""
    table = Table.of(["id", Column("text", max_width=5)], [(1, "quick brown")])
    assert render(table).splitlines()[3:5] == ["| 1  | quick |", "|    | brown |"]


def test_decimal_column_lines_up_the_points():
    """The heading stands right, and text does as well."""
    table = Table.of([Column("Price", align="decimal")], [(1.25,), (10,), ("free",)])
    assert render(table, "plain").splitlines()[2:] == [" 1.25", "10", " free"]


def test_footer_stands_below_a_line():
    """It is written and aligned like the rows above."""
    table = Table.of(CITIES.columns, CITIES.rows, ["all", 14635221])
    assert render(table).splitlines()[-3:] == [
        "+--------+----------+",
        "| all    | 14635221 |",
        "+--------+----------+",
    ]


def test_max_width_narrows_the_widest_column():
    """Its cells are wrapped, and no line is wider."""
    table = Table.of(["id", "text"], [(1, "the quick brown fox")])
    assert render(table, "plain", max_width=14).splitlines()[2:] == [
        "1   the quick",
        "    brown fox",
    ]
