import io

import pytest

from ledgerline.cli import main

LEDGER = """\
2024-01-15 Grocery store
    expenses:food       42.50 EUR
    assets:bank
2024-02-10 Bakery
    expenses:food       4.00 EUR
    assets:bank
"""


@pytest.fixture
def ledgerline(tmp_path):
    ledger = tmp_path / "2024.ledger"
    ledger.write_text(LEDGER, encoding="utf-8")

    def invoke(command, *options):
        out, err = io.StringIO(), io.StringIO()
        code = main([command, str(ledger), *options], out, err)
        return code, out.getvalue(), err.getvalue()

    return invoke


def test_balance_reports_each_account(ledgerline):
    code, out, _ = ledgerline("balance", "--account", "expenses")
    assert (code, out) == (0, "46.50 EUR  expenses:food\n---------\n46.50 EUR\n")


def test_check_counts_the_entries_in_the_range(ledgerline):
    assert ledgerline("check", "--begin", "2024-02") == (0, "1 entries\n", "")


def test_bad_argument_is_reported_and_fails(ledgerline):
    code, out, err = ledgerline("export", "--begin", "soon")
    assert (code, out) == (1, "")
    assert err == "ledgerline: 'soon' is no year, month or day\n"


def test_missing_ledger_is_reported_and_fails(tmp_path):
    err = io.StringIO()
    assert main(["check", str(tmp_path / "none")], io.StringIO(), err) == 1
    assert err.getvalue().startswith("ledgerline: ")
