from decimal import Decimal

import pytest

from texttable import Column, Table, TableError, render
from texttable.numbers import format_number


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (999, "999"),
        (1000, "1,000"),
        (14192184, "14,192,184"),
        (1234.5, "1,234.5"),
        (Decimal("1234567.10"), "1,234,567.10"),
        (Decimal("1E+6"), "1,000,000"),
        (1e16, "10,000,000,000,000,000"),
    ],
)
def test_groups_are_counted_from_the_point(value, text):
    assert format_number(value, grouping=",") == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (-1, "-1"),
        (-123, "-123"),
        (-1234, "-1,234"),
        (-0.5, "-0.5"),
        (-123456.75, "-123,456.75"),
    ],
)
def test_sign_is_no_digit_and_is_not_lost(value, text):
    assert format_number(value, grouping=",") == text


def test_digits_behind_the_point_are_not_grouped():
    assert format_number(0.123456, grouping=",") == "0.123456"


def test_numbers_are_rounded_first():
    assert format_number(999.995, 2, ",") == "1,000.00"
    assert format_number(-0.004, 2, ",") == "0.00"


@pytest.mark.parametrize(
    "separator",
    ["'", " ", "\u202f", "_", "::"],
    ids=["quote", "blank", "narrow", "line", "two"],
)
def test_separator_is_any_text(separator):
    expected = f"12{separator}345{separator}678"
    assert format_number(12345678, grouping=separator) == expected


@pytest.mark.parametrize("separator", [".", "0", ". ", "x1"], ids=range(4))
def test_separator_that_could_belong_to_the_number_is_refused(separator):
    with pytest.raises(TableError):
        format_number(1234567, grouping=separator)


def test_column_groups_its_numbers_and_nothing_else():
    column = Column("n", places=1, grouping=",")
    values = [1234, "1234", None, True, Decimal("9999.95"), -1234.0]
    texts = [column.text(value) for value in values]
    assert texts == ["1,234.0", "1234", "", "True", "10,000.0", "-1,234.0"]


@pytest.mark.parametrize("value", [float("inf"), float("-inf"), float("nan")])
def test_infinities_are_written_as_before(value):
    assert Column("n", grouping=",").text(value) == str(value)


def test_table_is_as_wide_as_the_grouped_numbers():
    table = Table.of([Column("n", align="right", grouping=",")], [(1234567,), (89,)])
    assert render(table, "plain").splitlines() == [
        "        n",
        "---------",
        "1,234,567",
        "       89",
    ]


@pytest.mark.parametrize(
    ("value", "places", "text"),
    [(1234567, None, "1234567"), (1234.5, 2, "1234.50"), (2.5, 0, "3"), (-0.001, 1, "0.0")],
)
def test_number_without_grouping_is_written_as_before(value, places, text):
    assert format_number(value, places) == text


def test_column_without_grouping_writes_as_before():
    assert Column("n").text(1234567) == "1234567"
