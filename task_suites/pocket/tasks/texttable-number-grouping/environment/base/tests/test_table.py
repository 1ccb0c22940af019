import pytest

from texttable import Column, Table, TableError


def test_string_makes_a_plain_column():
    """A heading alone is enough."""
    assert Table.of(["City"], []).columns == (Column("City"),)


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, ""), (True, "True"), ("1234", "1234"), (1234, "1234.0")],
    ids=["none", "bool", "text", "number"],
)
def test_column_writes_its_values(value, text):
    """Only numbers are formatted; nothing is an empty cell."""
    assert Column("x", places=1).text(value) == text


@pytest.mark.parametrize("options", [{"align": "middle"}, {"max_width": 0}], ids=str)
def test_impossible_column_is_refused(options):
    """The mistake shows where the column is made, not when it is drawn."""
    with pytest.raises(TableError):
        Column("x", **options)


def test_table_without_columns_is_refused():
    """There is nothing to draw."""
    with pytest.raises(TableError, match="needs a column"):
        Table.of([], [])


def test_short_row_gets_empty_cells():
    """What is missing on the right is left empty."""
    assert Table.of(["a", "b"], [("x",)]).rows == (("x", None),)
