from decimal import Decimal

from ledgerline import load_journal
from ledgerline.balances import account_balances, at_depth, render_balances
from ledgerline.filters import Filter

LEDGER = """\
2024-01-15 Grocery store
    expenses:food       42.50 EUR
    assets:bank
2024-01-16 Airport
    expenses:travel     8.00 USD
    assets:cash         USD -8.00
"""


def test_balances_are_summed_by_account_and_commodity():
    balances = account_balances(load_journal(LEDGER * 2), Filter(account="expenses"))
    assert balances == {
        "expenses:food": {"EUR": Decimal("85.00")},
        "expenses:travel": {"USD": Decimal("16.00")},
    }


def test_report_lines_up_amounts_and_ends_with_the_total():
    balances = account_balances(load_journal(LEDGER), Filter(account="expenses"))
    assert render_balances(balances) == [
        "42.50 EUR  expenses:food",
        " 8.00 USD  expenses:travel",
        "---------",
        "42.50 EUR",
        " 8.00 USD",
    ]


def test_report_of_everything_sums_to_zero():
    lines = render_balances(account_balances(load_journal(LEDGER), Filter()))
    assert lines[-1].strip() == "0"


def test_deeper_accounts_are_added_to_their_ancestor():
    balances = account_balances(load_journal(LEDGER), Filter(account="expenses"))
    both = {"EUR": Decimal("42.50"), "USD": Decimal("8.00")}
    assert at_depth(balances, 1) == {"expenses": both}
