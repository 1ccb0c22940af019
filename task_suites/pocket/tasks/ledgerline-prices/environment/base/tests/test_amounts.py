from decimal import Decimal

import pytest

from ledgerline import Amount, LedgerError, parse_amount


@pytest.mark.parametrize("text", ["12.50 EUR", "EUR 12.50", "€12.50", " 12.50EUR "])
def test_commodity_stands_before_or_after_the_number(text):
    assert parse_amount(text) == Amount(Decimal("12.50"), "EUR")


def test_amount_keeps_the_digits_it_came_with():
    assert str(parse_amount("$5.10")) == "5.10 USD"


@pytest.mark.parametrize("text", ["", "EUR", "12.50", "EUR 12.50 USD", "1.2.3 EUR"])
def test_unreadable_amount_is_an_error(text):
    with pytest.raises(LedgerError):
        parse_amount(text)


@pytest.mark.parametrize("text", ["-5.00 EUR", "EUR -5.00"])
def test_minus_right_before_the_number_counts(text):
    assert parse_amount(text) == Amount(Decimal("-5.00"), "EUR")


@pytest.mark.parametrize("text", ["-$5.00", "-USD 5.00"])
def test_minus_before_the_symbol_counts(text):
    assert parse_amount(text) == Amount(Decimal("-5.00"), "USD")


def test_comma_sets_off_three_digits():
    assert parse_amount("1,234.50 EUR") == Amount(Decimal("1234.50"), "EUR")
    with pytest.raises(LedgerError):
        parse_amount("12,50 EUR")
