import pytest

from ledgerline import LedgerError, load_journal
from ledgerline.balances import account_balances, render_balances
from ledgerline.entries import balance_entry
from ledgerline.filters import Filter
from ledgerline.journal import parse_entries

TRIP = """\
2024-05-02 Back from the trip
    expenses:taxi       15.00 USD
    assets:wallet
    expenses:hotel      80.00 EUR
    expenses:hotel      2.50 USD
"""


def postings(text):
    return [
        (posting.account, str(posting.amount))
        for posting in load_journal(text)[0].postings
    ]


def test_each_commodity_gets_a_posting_where_the_open_one_stood():
    assert postings(TRIP) == [
        ("expenses:taxi", "15.00 USD"),
        ("assets:wallet", "-17.50 USD"),
        ("assets:wallet", "-80.00 EUR"),
        ("expenses:hotel", "80.00 EUR"),
        ("expenses:hotel", "2.50 USD"),
    ]


def test_line_of_the_open_posting_is_kept():
    lines = [posting.line for posting in load_journal(TRIP)[0].postings]
    assert lines == [2, 3, 3, 4, 5]


def test_report_sums_to_zero():
    report = render_balances(account_balances(load_journal(TRIP), Filter()))
    assert report[-1].strip() == "0"
    assert sum("assets:wallet" in line for line in report) == 2


def test_balanced_entry_is_stable():
    (entry,) = parse_entries(TRIP)
    balanced = balance_entry(entry)
    assert balance_entry(balanced) == balanced


def test_three_commodities_in_order_of_first_use():
    text = "2024-05-02 x\n  a  3 GBP\n  a  2 EUR\n  a  GBP -1\n  a  4 CHF\n  b\n"
    assert postings(text)[4:] == [("b", "-2 GBP"), ("b", "-2 EUR"), ("b", "-4 CHF")]


def test_commodity_that_is_even_gets_no_posting():
    text = "2024-05-02 x\n  a  3 GBP\n  a  2 EUR\n  c  GBP -3\n  a  4 CHF\n  b\n"
    assert postings(text)[4:] == [("b", "-2 EUR"), ("b", "-4 CHF")]


def test_cost_counts_where_there_is_a_price():
    text = "2024-05-02 x\n  s  10 ACME @ 5.00 EUR\n  fee  2 USD\n  b\n"
    assert postings(text)[2:] == [("b", "-50.00 EUR"), ("b", "-2 USD")]


@pytest.mark.parametrize("asserted", ["-80.00 EUR", "-17.50 USD"], ids=["eur", "usd"])
def test_assertion_is_checked_after_all_of_them(asserted):
    text = TRIP.replace("assets:wallet", f"assets:wallet  = {asserted}")
    assert len(load_journal(text)[0].postings) == 5


def test_single_commodity_is_filled_as_before():
    text = "2024-05-02 x\n  a  3 EUR\n  b\n  c  2 EUR\n"
    assert postings(text) == [("a", "3 EUR"), ("b", "-5 EUR"), ("c", "2 EUR")]


def test_assertion_on_a_single_commodity_still_counts():
    with pytest.raises(LedgerError, match="line 3: b holds -3 EUR"):
        load_journal("2024-05-02 x\n  a  3 EUR\n  b  = -4 EUR\n")


def test_nothing_left_over_is_an_error():
    with pytest.raises(LedgerError, match="nothing is left over"):
        load_journal("2024-05-02 x\n  a  3 EUR\n  c  EUR -3\n  b\n")


def test_entry_without_an_open_posting_must_balance():
    with pytest.raises(LedgerError, match="out of balance"):
        load_journal("2024-05-02 x\n  a  3 EUR\n  c  USD -3\n")
