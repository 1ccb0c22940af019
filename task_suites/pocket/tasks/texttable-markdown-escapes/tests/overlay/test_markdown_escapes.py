import pytest

from texttable import Column, Table, render, to_markdown


def lines(columns, rows, footer=None):
    return to_markdown(Table.of(columns, rows, footer)).splitlines()


def test_pipe_in_a_row():
    assert lines(["a"], [("x|y|z",)])[2] == "| x\\|y\\|z |"


def test_pipe_in_the_heading():
    assert lines(["in|out"], [("x",)]) == ["| in\\|out |", "| :------ |", "| x       |"]


def test_pipe_in_the_footer():
    assert lines(["a"], [("x",)], ["y|z"])[-1] == "| **y\\|z** |"


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"], ids=["lf", "crlf", "cr"])
def test_line_break_in_a_row(newline):
    assert lines(["a"], [(f"one{newline}two",)])[2] == "| one<br>two |"


def test_line_break_in_heading_and_footer():
    assert lines(["a\nb"], [("x",)], ["y\nz"]) == [
        "| a<br>b     |",
        "| :--------- |",
        "| x          |",
        "| **y<br>z** |",
    ]


def test_empty_line_in_a_cell():
    assert lines(["a"], [("x\n\ny",)])[2] == "| x<br><br>y |"


def test_line_break_at_the_end_is_dropped():
    assert lines(["a"], [("long\n",)])[2:] == ["| long |"]


def test_other_cells_are_padded_to_what_is_written():
    columns = ["a", Column("b", align="right")]
    assert lines(columns, [("x|y", 1), ("z", 22)])[2:] == [
        "| x\\|y |   1 |",
        "| z    |  22 |",
    ]


@pytest.mark.parametrize("cell", ["a\\b", "*a*", "`a`", "a & b", "1 - 2"], ids=range(5))
def test_nothing_else_is_escaped(cell):
    assert lines(["wide heading"], [(cell,)])[2].strip("| ") == cell


def test_terminal_table_keeps_pipes_and_line_breaks():
    drawn = render(Table.of(["a"], [("x|y",), ("1\n2",)]), "plain").splitlines()
    assert drawn[2:] == ["x|y", "1", "2"]


def test_plain_table_is_written_as_before():
    assert lines(["a", "b"], [("x", None)], ["y", None]) == [
        "| a     | b   |",
        "| :---- | :-- |",
        "| x     |     |",
        "| **y** |     |",
    ]
