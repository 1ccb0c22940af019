from decimal import Decimal

import pytest

from ledgerline import LedgerError, load_journal, parse_amount


@pytest.mark.parametrize(
    "number",
    ["12,50", "4,9", "1,2345", "1,23", "1,234,56", "1,23,456"],
)
def test_group_of_other_than_three_digits_is_an_error(number):
    with pytest.raises(LedgerError):
        parse_amount(f"{number} EUR")


@pytest.mark.parametrize("number", ["1234,567", "1,234567", "1234,567,890"])
def test_grouping_some_digits_only_is_an_error(number):
    with pytest.raises(LedgerError):
        parse_amount(f"{number} EUR")


@pytest.mark.parametrize("number", [",123", "1,,234", "1,", "1,234,", "1,.50"])
def test_empty_group_is_an_error(number):
    with pytest.raises(LedgerError):
        parse_amount(f"EUR {number}")


@pytest.mark.parametrize("number", ["0,500", "00,500", "012,500", "0,123.40"])
def test_grouped_number_does_not_start_with_zero(number):
    with pytest.raises(LedgerError):
        parse_amount(f"${number}")


@pytest.mark.parametrize("number", ["1.234,50", "1.000,000", "1,234.567,890"])
def test_comma_after_the_point_is_an_error(number):
    with pytest.raises(LedgerError):
        parse_amount(f"{number} EUR")


def test_decimal_comma_in_a_ledger_is_reported_with_its_line():
    text = "2024-03-01 Coffee\n  assets:cash\n  expenses:food  4,90 EUR\n"
    with pytest.raises(LedgerError) as caught:
        load_journal(text)
    assert caught.value.line == 3


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        ("1,234.50", "1234.50"),
        ("1,234,567", "1234567"),
        ("12,345", "12345"),
        ("123,456.7", "123456.7"),
    ],
)
def test_groups_of_three_digits_are_read(number, expected):
    assert parse_amount(f"{number} EUR").quantity == Decimal(expected)


@pytest.mark.parametrize("number", ["1234.50", ".50", "0.500", "1234567", "007"])
def test_number_without_commas_is_read_as_before(number):
    assert parse_amount(f"{number} EUR").quantity == Decimal(number)


def test_grouped_negative_amount_is_read():
    assert str(parse_amount("EUR -1,234.50")) == "-1234.50 EUR"


@pytest.mark.parametrize("number", ["1.2.3", ".", "5."])
def test_misplaced_point_is_an_error(number):
    with pytest.raises(LedgerError):
        parse_amount(f"{number} EUR")
