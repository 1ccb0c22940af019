from datetime import date

import pytest

from ledgerline import Entry, LedgerError, Posting, parse_amount
from ledgerline.entries import balance_entry


def entry(*amounts):
    postings = tuple(
        Posting(f"account:{place}", parse_amount(text) if text else None)
        for place, text in enumerate(amounts)
    )
    return Entry(date(2024, 1, 15), "test", postings)


def amounts_of(balanced):
    return [str(posting.amount) for posting in balanced.postings]


def test_balanced_entry_stays_as_it_is():
    given = entry("5.00 EUR", "EUR -5.00")
    assert balance_entry(given) == given


def test_open_posting_takes_the_rest():
    balanced = balance_entry(entry("5.00 EUR", "", "2.50 EUR"))
    assert amounts_of(balanced) == ["5.00 EUR", "-7.50 EUR", "2.50 EUR"]


def test_entry_out_of_balance_is_an_error():
    with pytest.raises(LedgerError, match="out of balance by 0.01 EUR"):
        balance_entry(entry("5.00 EUR", "EUR -4.99"))


def test_two_open_postings_are_an_error():
    with pytest.raises(LedgerError, match="only one posting"):
        balance_entry(entry("5.00 EUR", "", ""))


def test_open_posting_takes_the_rest_of_each_commodity():
    balanced = balance_entry(entry("5.00 EUR", "3.00 USD", ""))
    assert amounts_of(balanced) == ["5.00 EUR", "3.00 USD", "-5.00 EUR", "-3.00 USD"]
