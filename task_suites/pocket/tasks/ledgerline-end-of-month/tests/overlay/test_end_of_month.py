import io
from datetime import date

import pytest

from ledgerline import LedgerError
from ledgerline.cli import main
from ledgerline.filters import first_day, last_day

LEDGER = "".join(
    f"{day} Coffee\n    expenses:food  3.00 EUR\n    assets:cash\n"
    for day in ("2024-02-28", "2024-02-29", "2024-03-01", "2024-04-30", "2024-05-01")
)


def check(tmp_path, *options):
    ledger = tmp_path / "test.ledger"
    ledger.write_text(LEDGER, encoding="utf-8")
    out, err = io.StringIO(), io.StringIO()
    code = main(["check", str(ledger), *options], out, err)
    return code, out.getvalue() + err.getvalue()


@pytest.mark.parametrize("month", [4, 6, 9, 11])
def test_month_of_thirty_days(month):
    assert last_day(f"2024-{month:02}") == date(2024, month, 30)


@pytest.mark.parametrize("year", [2000, 2004, 2024])
def test_february_of_a_leap_year(year):
    assert last_day(f"{year}-02") == date(year, 2, 29)


@pytest.mark.parametrize("year", [1900, 2023, 2100])
def test_february_of_another_year(year):
    assert last_day(f"{year}-02") == date(year, 2, 28)


def test_range_of_one_short_month(tmp_path):
    result = check(tmp_path, "--begin", "2024-04", "--end", "2024-04")
    assert result == (0, "1 entries\n")


def test_leap_day_lies_in_its_month(tmp_path):
    assert check(tmp_path, "--end", "2024-02") == (0, "2 entries\n")


@pytest.mark.parametrize("month", [1, 3, 5, 7, 8, 10, 12])
def test_month_of_thirty_one_days(month):
    assert last_day(f"2024-{month:02}") == date(2024, month, 31)


def test_year_ends_in_december():
    assert last_day("2023") == date(2023, 12, 31)


@pytest.mark.parametrize("text", ["2024-04-01", "2024-02-29", "2023-02-28"])
def test_day_means_itself(text):
    assert last_day(text) == date.fromisoformat(text)


@pytest.mark.parametrize(
    "text",
    [
        "2024-00",
        "2024-13",
        "2024-04-00",
        "2023-02-29",
        "2024-04-31",
        "0000-02",
        "2024-4",
    ],
)
def test_what_is_not_in_the_calendar_is_an_error(text):
    with pytest.raises(LedgerError):
        last_day(text)


def test_begin_still_means_the_first_day():
    assert first_day("2024-04") == date(2024, 4, 1)
