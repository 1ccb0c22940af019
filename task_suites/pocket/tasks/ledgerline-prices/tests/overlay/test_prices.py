from decimal import Decimal

import pytest

from ledgerline import LedgerError, load_journal
from ledgerline.balances import account_balances
from ledgerline.filters import Filter


def ledger(amount, other=""):
    return f"2024-03-01 Shares\n  shares  {amount}\n  bank  {other}\n"


def rest(amount):
    return str(load_journal(ledger(amount))[0].postings[1].amount)


@pytest.mark.parametrize(
    "amount",
    [
        "10 ACME @ 5.00 EUR",
        "10 ACME @@ 50.00 EUR",
        "10 ACME@5.00 EUR",
        "10 ACME @@50.00 EUR",
    ],
    ids=["unit", "total", "unit-tight", "total-tight"],
)
def test_open_posting_takes_the_cost(amount):
    assert rest(amount) == "-50.00 EUR"


@pytest.mark.parametrize(
    "amount", ["ACME -10 @ 5.00 EUR", "-10 ACME @@ 50.00 EUR"], ids=["unit", "total"]
)
def test_sale_counts_against_the_account(amount):
    assert rest(amount) == "50.00 EUR"


def test_cost_is_exact():
    assert rest("3 ACME @ 0.333 EUR") == "-0.999 EUR"


def test_price_is_read_like_any_amount():
    assert rest("2 ACME @ $5.10") == "-10.20 USD"
    assert rest("2 ACME @@ 1,250.00 EUR") == "-1250.00 EUR"


def test_written_amounts_are_compared_at_cost():
    (entry,) = load_journal(ledger("10 ACME @ 5.00 EUR", "EUR -50"))
    assert [str(posting.amount) for posting in entry.postings] == ["10 ACME", "-50 EUR"]


def test_cost_out_of_balance_is_an_error():
    with pytest.raises(LedgerError, match="out of balance by 1.00 EUR"):
        load_journal(ledger("10 ACME @ 5.00 EUR", "EUR -49.00"))


def test_account_holds_what_was_bought_and_not_sold():
    text = ledger("10 ACME @ 5.00 EUR") + ledger("ACME -4 @@ 24.00 EUR")
    assert account_balances(load_journal(text), Filter()) == {
        "shares": {"ACME": Decimal(6)},
        "bank": {"EUR": Decimal("-26.00")},
    }


def test_assertion_follows_the_price_and_compares_the_amount():
    assert load_journal(ledger("10 ACME @ 5.00 EUR = 10 ACME"))
    with pytest.raises(LedgerError, match="line 2: shares holds 10 ACME, not 9 ACME"):
        load_journal(ledger("10 ACME @ 5.00 EUR = 9 ACME"))


def test_gift_has_a_price_of_zero():
    text = "2024-03-01 Gift\n  shares  10 ACME @ 0 EUR\n  bank  0 EUR\n"
    assert str(load_journal(text)[0].postings[0].amount) == "10 ACME"


@pytest.mark.parametrize("sign", ["@", "@@"], ids=["unit", "total"])
def test_negative_price_is_an_error_with_its_line(sign):
    with pytest.raises(LedgerError) as caught:
        load_journal(ledger(f"10 ACME {sign} EUR -5.00"))
    assert caught.value.line == 2


@pytest.mark.parametrize(
    "amount",
    [
        "@ 5.00 EUR",
        "10 ACME @",
        "10 ACME @ five",
        "10 ACME @ 1 EUR @ 2 EUR",
        "10 @ 5 EUR",
    ],
    ids=["no-amount", "no-price", "no-number", "two-prices", "no-commodity"],
)
def test_unreadable_price_is_an_error_with_its_line(amount):
    with pytest.raises(LedgerError) as caught:
        load_journal(ledger(amount))
    assert caught.value.line == 2


def test_two_commodities_without_a_price_are_out_of_balance():
    with pytest.raises(LedgerError, match="out of balance by 10 ACME, -50 EUR"):
        load_journal(ledger("10 ACME", "EUR -50"))


def test_entry_without_prices_is_filled_as_before():
    assert rest("10 ACME") == "-10 ACME"


def test_assertion_without_a_price_still_counts():
    with pytest.raises(LedgerError, match="line 2: shares holds 10 ACME, not 9 ACME"):
        load_journal(ledger("10 ACME = 9 ACME"))
