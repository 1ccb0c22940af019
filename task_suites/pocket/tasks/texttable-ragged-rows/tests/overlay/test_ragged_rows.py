import pytest

from texttable import Table, TableError, render, to_markdown


def test_short_row_gets_empty_cells_on_the_right():
    assert Table.of("abc", [("x",), ("y", 1)]).rows == (("x", None, None), ("y", 1, None))


def test_empty_row_is_a_row_of_empty_cells():
    assert Table.of("ab", [()]).rows == ((None, None),)


def test_short_row_is_drawn():
    lines = render(Table.of(["a", "b"], [("x",), (1, 2)])).splitlines()
    assert lines[3:5] == ["| x |   |", "| 1 | 2 |"]


def test_short_row_is_written_as_markdown():
    lines = to_markdown(Table.of(["a", "b"], [("x",)])).splitlines()
    assert lines[-1] == "| x   |     |"


def test_row_that_is_too_long_is_refused():
    with pytest.raises(TableError) as caught:
        Table.of(["a", "b"], [(1, 2), (1, 2, 3)])
    assert str(caught.value) == "row 2 has 3 cells for 2 columns"


def test_first_row_is_row_one():
    with pytest.raises(TableError, match="row 1 has 4 cells for 1 columns"):
        Table.of(["a"], ["four"])


@pytest.mark.parametrize("extra", [None, "", 0], ids=["none", "text", "zero"])
def test_empty_cells_are_too_many_as_well(extra):
    with pytest.raises(TableError):
        Table.of(["a"], [("x", extra)])


def test_short_footer_gets_empty_cells():
    assert Table.of(["a", "b"], [(1, 2)], ["sum"]).footer == ("sum", None)


def test_footer_that_is_too_long_is_refused():
    with pytest.raises(TableError) as caught:
        Table.of(["a", "b"], [], (1, 2, 3))
    assert str(caught.value) == "the footer has 3 cells for 2 columns"


def test_generators_are_read_once():
    rows = (iter(row) for row in [(1, 2), (3,)])
    assert Table.of(iter(["a", "b"]), rows).rows == ((1, 2), (3, None))


def test_rows_of_the_right_length_are_kept():
    table = Table.of(["a", "b"], [[1, None], (None, "y")], [3, 4])
    assert table.rows == ((1, None), (None, "y"))
    assert table.footer == (3, 4)


def test_generators_of_the_right_length_are_kept():
    assert Table.of(["a"], ((number,) for number in range(2))).rows == ((0,), (1,))


def test_table_without_footer_has_none():
    assert Table.of(["a"], []).footer is None
