import io
from datetime import date

import pytest

from ledgerline import load_journal
from ledgerline.cli import main
from ledgerline.export import write_csv
from ledgerline.filters import Filter

LEDGER = """\
2024-02-03 Cinema
    expenses:fun         9.50 EUR
    assets:bank
2024-01-01 Opening
    assets:bank          100.00 EUR
    assets:bank          20.0 USD
    equity
2024-01-20 Market
    expenses:food        30 EUR
    assets:bank
2024-02-04 Change
    assets:bank:savings  60.50 EUR
    assets:bank          EUR -60.50
    assets:bank          USD -20.00
    assets:cash          20.00 USD
"""
HEADER = "date,description,account,amount,commodity"


def export(query, **options):
    out = io.StringIO()
    write_csv(load_journal(LEDGER), query, out, **options)
    return out.getvalue().splitlines()


def column(rows):
    return [(row.split(",")[3], row.split(",")[-1]) for row in rows[1:]]


def command_line(tmp_path, *options):
    ledger = tmp_path / "test.ledger"
    ledger.write_text(LEDGER, encoding="utf-8")
    out = io.StringIO()
    code = main(["export", str(ledger), *options], out, io.StringIO())
    return code, out.getvalue().splitlines()


def test_header_has_a_sixth_column():
    assert export(Filter(), running=True)[0] == f"{HEADER},balance"


def test_balance_counts_what_came_before_the_range():
    query = Filter(begin=date(2024, 2, 1), account="assets:bank", text="cinema")
    assert column(export(query, running=True)) == [("-9.50", "60.50")]


def test_balance_counts_what_the_text_leaves_out():
    rows = export(Filter(text="market"), running=True)
    assert rows[1:] == [
        "2024-01-20,Market,expenses:food,30,EUR,30",
        "2024-01-20,Market,assets:bank,-30,EUR,70.00",
    ]


def test_commodities_are_kept_apart():
    rows = export(Filter(text="opening", account="assets"), running=True)
    assert column(rows) == [("100.00", "100.00"), ("20.0", "20.0")]


def test_accounts_below_are_not_included():
    rows = export(Filter(text="change", account="assets:bank"), running=True)
    assert column(rows) == [
        ("60.50", "60.50"),
        ("-60.50", "0.00"),
        ("-20.00", "0.00"),
    ]


def test_rows_and_their_order_do_not_change():
    plain, running = export(Filter()), export(Filter(), running=True)
    assert [row.rsplit(",", 1)[0] for row in running] == plain


def test_what_comes_after_the_range_does_not_count():
    query = Filter(end=date(2024, 1, 31), account="assets:bank")
    assert [after for _, after in column(export(query, running=True))] == [
        "100.00",
        "20.0",
        "70.00",
    ]


def test_command_line_option(tmp_path):
    options = ("--running", "--begin", "2024-02", "--account", "expenses")
    assert command_line(tmp_path, *options) == (
        0,
        [f"{HEADER},balance", "2024-02-03,Cinema,expenses:fun,9.50,EUR,9.50"],
    )


def test_command_line_without_the_option(tmp_path):
    code, rows = command_line(tmp_path, "--text", "cinema")
    assert code == 0
    assert rows == [
        HEADER,
        "2024-02-03,Cinema,expenses:fun,9.50,EUR",
        "2024-02-03,Cinema,assets:bank,-9.50,EUR",
    ]


@pytest.mark.parametrize("text", ["cinema", "nothing"])
def test_export_is_plain_unless_asked(text):
    assert export(Filter(text=text))[0] == HEADER
