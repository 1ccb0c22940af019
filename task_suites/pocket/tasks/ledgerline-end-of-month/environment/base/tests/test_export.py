import io

from ledgerline import load_journal
from ledgerline.export import write_csv
from ledgerline.filters import Filter

LEDGER = """\
2024-01-15 Grocery store, "Corner"
    expenses:food       42.50 EUR
    assets:bank
2024-01-16 Bakery
    expenses:food       4.00 EUR
    assets:bank
"""


def export(query, **options):
    out = io.StringIO()
    write_csv(load_journal(LEDGER), query, out, **options)
    return out.getvalue().splitlines()


def test_each_posting_is_one_row():
    assert export(Filter(text="bakery")) == [
        "date,description,account,amount,commodity",
        "2024-01-16,Bakery,expenses:food,4.00,EUR",
        "2024-01-16,Bakery,assets:bank,-4.00,EUR",
    ]


def test_descriptions_are_quoted_where_needed():
    row = export(Filter(account="assets"))[1]
    assert row == '2024-01-15,"Grocery store, ""Corner""",assets:bank,-42.50,EUR'


def test_running_balance_follows_each_posting():
    assert export(Filter(account="expenses", text="bakery"), running=True) == [
        "date,description,account,amount,commodity,balance",
        "2024-01-16,Bakery,expenses:food,4.00,EUR,46.50",
    ]
