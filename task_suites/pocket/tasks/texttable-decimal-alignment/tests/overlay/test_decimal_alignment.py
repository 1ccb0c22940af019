from decimal import Decimal

import pytest

from texttable import Column, Table, TableError, render, to_markdown


def drawn(values, footer=None, header="n", **options):
    column = Column(header, align="decimal", **options)
    table = Table.of(["", column], [("|", value) for value in values], footer)
    lines = [line for line in render(table, "plain").splitlines() if "-  -" not in line]
    return [line[3:] for line in lines]


def test_points_stand_below_each_other():
    assert drawn([1.5, 12, 0.25])[1:] == [" 1.5", "12", " 0.25"]


def test_example_of_grouped_negative_and_text():
    assert drawn([1234.5, 12, -0.125, "free"], header="Price", grouping=",") == [
        "    Price",
        "1,234.5",
        "   12",
        "   -0.125",
        "     free",
    ]


def test_wide_heading_moves_all_numbers_right():
    assert drawn([1.5, 10], header="heading") == ["heading", "    1.5", "   10"]


def test_long_text_moves_all_numbers_right():
    assert drawn([1.25, 10, "on request"])[1:] == ["      1.25", "     10", "on request"]


def test_text_that_is_a_number_is_lined_up():
    assert drawn(["3.14", "+2", Decimal("10.0")])[1:] == [" 3.14", "+2", "10.0"]


@pytest.mark.parametrize(
    "separator", [",", "'", "_", " ", "\u00a0", "\u202f"], ids=range(6)
)
def test_grouped_number_is_a_number(separator):
    text = f"12{separator}345"
    assert drawn([text, 0.5])[1:] == [text, "     0.5"]


@pytest.mark.parametrize(
    "text", ["1.2.3", "12 %", "v1.5", "1.", "5,1", "--1"], ids=range(6)
)
def test_what_is_no_number_stands_right(text):
    assert drawn([text, "100000.25"])[1] == text.rjust(9)


def test_empty_cell_is_left_empty():
    assert drawn([None, 1.5, 1])[1:] == ["", "1.5", "1"]


def test_column_without_points_stands_right():
    assert drawn([1, 10, 100], header="number")[1:] == ["     1", "    10", "   100"]


def test_places_are_kept():
    assert drawn([1, 10.005], places=2)[1:] == [" 1.00", "10.01"]


def test_footer_is_lined_up_with_the_rows():
    assert drawn([1.5, 2], footer=["", 3.25])[1:] == ["1.5", "2", "3.25"]


def test_border_is_straight():
    table = Table.of([Column("n", align="decimal")], [(1.5,), (10,)])
    assert render(table).splitlines()[3:5] == ["|  1.5 |", "| 10   |"]


def test_markdown_marks_the_column_as_right_and_lines_it_up():
    table = Table.of([Column("number", align="decimal")], [(1.5,), (10,)])
    assert to_markdown(table).splitlines()[1:] == ["| -----: |", "|    1.5 |", "|   10   |"]


@pytest.mark.parametrize(
    ("align", "lines"),
    [("right", ["1.5", " 10"]), ("left", ["1.5", "10"]), ("center", ["1.5", "10"])],
)
def test_other_alignments_are_as_before(align, lines):
    table = Table.of([Column("n", align=align)], [(1.5,), (10,)])
    assert render(table, "plain").splitlines()[2:] == lines


def test_unknown_alignment_is_refused():
    with pytest.raises(TableError):
        Column("n", align="points")
