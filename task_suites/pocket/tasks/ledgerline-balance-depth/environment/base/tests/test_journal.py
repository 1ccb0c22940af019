import pytest

from ledgerline import LedgerError, load_journal

GROCERIES = """\
# kept by hand
2024-02-01 Rent
    expenses:rent       700.00 EUR
    assets:bank

2024-01-15 Grocery store  ; weekly shop
    expenses:food       42.50 EUR
    assets:bank
"""


def test_entries_come_in_order_of_date():
    entries = load_journal(GROCERIES)
    assert [entry.description for entry in entries] == ["Grocery store", "Rent"]


def test_entry_and_posting_know_their_line():
    groceries = load_journal(GROCERIES)[0]
    assert groceries.line == 6
    assert [posting.line for posting in groceries.postings] == [7, 8]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("    assets:bank  5 EUR\n", "line 1: a posting needs an entry"),
        ("2024-02-30 x\n  a  1 EUR\n  b\n", "line 1: no such day"),
        ("someday x\n  a  1 EUR\n  b\n", "line 1: an entry starts with a date"),
        ("2024-02-03 x\n  a  1 EUR\n", "line 1: an entry needs two postings"),
        ("2024-02-03 x\n  a  one\n  b\n", "line 2: cannot read the amount"),
    ],
)
def test_problem_is_reported_with_its_line(text, message):
    with pytest.raises(LedgerError, match=message):
        load_journal(text)


@pytest.mark.parametrize("price", ["@ 5.00 EUR", "@@ 50.00 EUR"])
def test_entry_balances_at_cost(price):
    text = f"2024-03-01 Shares\n  assets:shares  10 ACME {price}\n  assets:bank\n"
    shares, bank = load_journal(text)[0].postings
    assert str(shares.amount) == "10 ACME"
    assert str(bank.amount) == "-50.00 EUR"
