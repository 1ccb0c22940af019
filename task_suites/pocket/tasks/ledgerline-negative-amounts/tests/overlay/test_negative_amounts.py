from decimal import Decimal

import pytest

from ledgerline import LedgerError, load_journal, parse_amount

FIVE = Decimal("5.00")


@pytest.mark.parametrize(
    ("text", "commodity"),
    [("-$5.00", "USD"), ("-€5.00", "EUR"), ("-EUR 5.00", "EUR"), ("- $ 5.00", "USD")],
    ids=["dollar", "euro", "code", "spaced"],
)
def test_minus_before_the_commodity(text, commodity):
    amount = parse_amount(text)
    assert (amount.quantity, amount.commodity) == (-FIVE, commodity)


@pytest.mark.parametrize(
    "text",
    ["\u2212$5.00", "$\u22125.00", "\u22125.00 USD", "USD \u22125.00"],
    ids=["before-symbol", "after-symbol", "suffix", "after-code"],
)
def test_typographic_minus(text):
    amount = parse_amount(text)
    assert (amount.quantity, amount.commodity) == (-FIVE, "USD")


@pytest.mark.parametrize(
    "text",
    ["-$-5.00", "+$-5.00", "-EUR +5.00", "+$+5.00"],
    ids=["minus-minus", "plus-minus", "code", "plus-plus"],
)
def test_sign_in_both_places_is_an_error(text):
    with pytest.raises(LedgerError):
        parse_amount(text)


def test_ledger_with_minus_before_the_symbol_balances():
    text = "2024-01-05 Refund\n  assets:bank  $12.50\n  expenses:food  -$12.50\n"
    bank, food = load_journal(text)[0].postings
    assert bank.amount.quantity + food.amount.quantity == 0


def test_open_posting_takes_the_opposite_of_a_negative_amount():
    text = "2024-01-05 Shop\n  assets:cash  -$3.00\n  expenses:food\n"
    assert str(load_journal(text)[0].postings[1].amount) == "3.00 USD"


@pytest.mark.parametrize(
    "text", ["-$0.00", "$-0.00", "-0.00 USD"], ids=["before", "after", "suffix"]
)
def test_minus_zero_is_written_as_zero(text):
    assert str(parse_amount(text)) == "0.00 USD"


@pytest.mark.parametrize(
    "text",
    ["$-5.00", "USD -5.00", "-5.00 USD", "-5.00USD"],
    ids=["symbol", "code", "suffix", "tight-suffix"],
)
def test_minus_right_before_the_number(text):
    assert parse_amount(text).quantity == -FIVE


@pytest.mark.parametrize(
    "text",
    ["+$5.00", "$+5.00", "+5.00 USD", "$5.00"],
    ids=["before", "after", "suffix", "none"],
)
def test_plus_changes_nothing(text):
    assert parse_amount(text).quantity == FIVE


@pytest.mark.parametrize(
    "text",
    ["--5.00 USD", "$5.00-", "-", "-$"],
    ids=["doubled", "trailing", "alone", "no-number"],
)
def test_misplaced_sign_is_an_error(text):
    with pytest.raises(LedgerError):
        parse_amount(text)
