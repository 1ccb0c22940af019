import pytest

from texttable import Column, Table, TableError, render, to_markdown

COLUMNS = ["item", Column("price", align="right", places=2)]
ROWS = [("tea", 2), ("cake", 3.5)]


def test_footer_stands_between_line_and_border():
    assert render(Table.of(COLUMNS, ROWS, ["sum", 5.5])).splitlines()[-4:] == [
        "| cake |  3.50 |",
        "+------+-------+",
        "| sum  |  5.50 |",
        "+------+-------+",
    ]


def test_footer_in_a_box():
    lines = render(Table.of(COLUMNS, ROWS, ["sum", 5.5]), "box").splitlines()
    assert lines[-3] == lines[2]
    assert lines[-2] == "\u2502 sum  \u2502  5.50 \u2502"


def test_footer_without_border():
    lines = render(Table.of(COLUMNS, ROWS, ["sum", 5.5]), "plain").splitlines()
    assert lines[-2:] == ["----  -----", "sum    5.50"]


def test_columns_are_wide_enough_for_the_footer():
    lines = render(Table.of(COLUMNS, ROWS, ["altogether", 12345.5]), "plain").splitlines()
    assert lines == [
        "item           price",
        "----------  --------",
        "tea             2.00",
        "cake            3.50",
        "----------  --------",
        "altogether  12345.50",
    ]


def test_footer_is_wrapped():
    table = Table.of([Column("a", max_width=5)], [("x",)], ["in all"])
    assert render(table, "plain").splitlines()[-2:] == ["in", "all"]


def test_footer_is_the_last_markdown_row_in_bold():
    assert to_markdown(Table.of(COLUMNS, ROWS, ["sum", 5.5])).splitlines() == [
        "| item    |    price |",
        "| :------ | -------: |",
        "| tea     |     2.00 |",
        "| cake    |     3.50 |",
        "| **sum** | **5.50** |",
    ]


def test_empty_footer_cell_is_not_bold():
    lines = to_markdown(Table.of(COLUMNS, ROWS, ["sum", None])).splitlines()
    assert lines[-1] == "| **sum** |       |"


def test_short_footer_gets_empty_cells():
    assert Table.of(COLUMNS, ROWS, ["sum"]).footer == ("sum", None)


def test_footer_that_is_too_long_is_refused():
    with pytest.raises(TableError, match="the footer has 3 cells for 2 columns"):
        Table.of(COLUMNS, ROWS, ["sum", 5.5, ""])


def test_footer_of_empty_cells_is_drawn():
    lines = render(Table.of(["a"], [("x",)], [None])).splitlines()
    assert lines[-3:] == ["+---+", "|   |", "+---+"]


def test_table_with_a_footer_only():
    lines = render(Table.of(["a"], [], ["sum"]), "plain").splitlines()
    assert lines == ["a", "---", "---", "sum"]


def test_table_without_a_footer_is_drawn_as_before():
    assert render(Table.of(COLUMNS, ROWS), "plain").splitlines()[-2:] == [
        "tea    2.00",
        "cake   3.50",
    ]


def test_markdown_without_a_footer_is_written_as_before():
    assert to_markdown(Table.of(COLUMNS, ROWS)).splitlines()[-1] == "| cake |  3.50 |"


def test_row_that_is_too_long_is_refused_as_before():
    with pytest.raises(TableError, match="row 1 has 3 cells for 2 columns"):
        Table.of(COLUMNS, [(1, 2, 3)])
