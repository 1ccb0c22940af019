import copy
import io
from decimal import Decimal

import pytest

from ledgerline import LedgerError, balances
from ledgerline.cli import main

NESTED = {
    "expenses": {"EUR": Decimal("1.00")},
    "expenses:food": {"EUR": Decimal("2.00")},
    "expenses:food:pizza": {"EUR": Decimal("4.00"), "USD": Decimal("8.00")},
    "expenses:travel:train": {"USD": Decimal("16.00")},
    "assets": {"EUR": Decimal("-7.00")},
}

LEDGER = """\
2024-01-15 Pizzeria
    expenses:food:pizza     12.00 EUR
    assets:bank:current
2024-01-16 Savings
    assets:bank:savings     50.00 EUR
    assets:bank:current     EUR -50.00
2024-02-01 Market
    expenses:food           5.00 EUR
    assets:cash
"""


@pytest.fixture
def report(tmp_path):
    ledger = tmp_path / "test.ledger"
    ledger.write_text(LEDGER, encoding="utf-8")

    def run(*options):
        out, err = io.StringIO(), io.StringIO()
        code = main(["balance", str(ledger), *options], out, err)
        return code, out.getvalue().splitlines(), err.getvalue()

    return run


def test_depth_one_keeps_the_top_level_only():
    assert balances.at_depth(NESTED, 1) == {
        "expenses": {"EUR": Decimal("7.00"), "USD": Decimal("24.00")},
        "assets": {"EUR": Decimal("-7.00")},
    }


def test_depth_two_adds_what_lies_below_to_what_was_booked_directly():
    assert balances.at_depth(NESTED, 2) == {
        "expenses": {"EUR": Decimal("1.00")},
        "expenses:food": {"EUR": Decimal("6.00"), "USD": Decimal("8.00")},
        "expenses:travel": {"USD": Decimal("16.00")},
        "assets": {"EUR": Decimal("-7.00")},
    }


def test_depth_beyond_the_deepest_account_changes_nothing():
    assert balances.at_depth(NESTED, 9) == NESTED


def test_argument_is_left_as_it_was():
    given = copy.deepcopy(NESTED)
    balances.at_depth(given, 1)
    assert given == NESTED


@pytest.mark.parametrize("depth", [0, -1])
def test_depth_below_one_is_an_error(depth):
    with pytest.raises(LedgerError):
        balances.at_depth(NESTED, depth)


def test_report_at_depth_one(report):
    code, lines, _ = report("--depth", "1")
    assert code == 0
    assert lines == [
        "-17.00 EUR  assets",
        " 17.00 EUR  expenses",
        "----------",
        "         0",
    ]


def test_account_that_sums_to_zero_is_left_out(report):
    _, lines, _ = report("--depth", "2", "--text", "savings")
    assert not any("assets:bank" in line for line in lines)


def test_depth_works_together_with_the_filters(report):
    _, lines, _ = report("--depth", "1", "--account", "expenses", "--end", "2024-01")
    assert lines == ["12.00 EUR  expenses", "---------", "12.00 EUR"]


def test_depth_zero_is_reported_by_the_command_line(report):
    code, lines, err = report("--depth", "0")
    assert (code, lines) == (1, [])
    assert err.startswith("ledgerline: ")


def test_report_without_depth_shows_every_account(report):
    _, lines, _ = report("--account", "expenses")
    assert [line.split()[-1] for line in lines[:2]] == [
        "expenses:food",
        "expenses:food:pizza",
    ]


def test_report_without_depth_ends_with_zero(report):
    assert report()[1][-1].strip() == "0"
