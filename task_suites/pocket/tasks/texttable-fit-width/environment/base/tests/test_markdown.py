from texttable import Column, Table, to_markdown


def test_table_is_readable_as_source():
    """Cells are padded, and the marks below the header show the alignment."""
    table = Table.of(
        ["City", Column("People", align="right"), Column("ok", align="center")],
        [("Zürich", 443037, "yes"), ("東京", 14192184, "no")],
    )
    assert to_markdown(table).splitlines() == [
        "| City   |   People | ok  |",
        "| :----- | -------: | :-: |",
        "| Zürich |   443037 | yes |",
        "| 東京   | 14192184 | no  |",
    ]


def test_column_is_three_wide_at_least():
    """Shorter marks are not understood everywhere."""
    assert to_markdown(Table.of(["a"], [])).splitlines() == ["| a   |", "| :-- |"]


def test_pipe_in_a_cell_is_escaped():
    """A bare one would start the next cell."""
    table = Table.of(["shell"], [("ls | wc",)])
    assert to_markdown(table).splitlines()[2] == "| ls \\| wc |"
