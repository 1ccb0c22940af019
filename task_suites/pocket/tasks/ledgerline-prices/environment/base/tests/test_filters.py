from datetime import date

import pytest

from ledgerline import Entry, LedgerError, Posting, parse_amount
from ledgerline.filters import Filter, first_day, last_day

ENTRY = Entry(
    date(2024, 2, 29),
    "Coffee House",
    (
        Posting("expenses:food", parse_amount("3 EUR")),
        Posting("expenses:foodbank", parse_amount("EUR -3")),
    ),
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2024", date(2024, 1, 1)),
        ("2024-02", date(2024, 2, 1)),
        ("2024-02-29", date(2024, 2, 29)),
    ],
)
def test_first_day_of_a_year_a_month_a_day(text, expected):
    assert first_day(text) == expected


@pytest.mark.parametrize("text", ["", "24", "2024-13", "2024-02-30", "soon"])
def test_first_day_of_something_else_is_an_error(text):
    with pytest.raises(LedgerError):
        first_day(text)


def test_last_day_of_a_year_a_long_month_a_day():
    assert last_day("2024") == date(2024, 12, 31)
    assert last_day("2024-01") == date(2024, 1, 31)
    assert last_day("2024-02-29") == date(2024, 2, 29)


def test_both_ends_of_the_range_are_included():
    day = ENTRY.date
    assert Filter(begin=day, end=day).keeps_entry(ENTRY)


def test_text_is_searched_without_regard_to_case():
    assert Filter(text="coffee").keeps_entry(ENTRY)
    assert not Filter(text="tea").keeps_entry(ENTRY)


def test_account_is_selected_with_those_below_it():
    kept = [
        posting.account for _, posting in Filter(account="expenses").select([ENTRY])
    ]
    assert kept == ["expenses:food", "expenses:foodbank"]


def test_account_that_only_starts_alike_is_not_selected():
    kept = [p.account for _, p in Filter(account="expenses:food").select([ENTRY])]
    assert kept == ["expenses:food"]


def test_last_day_of_a_short_month():
    assert last_day("2024-04") == date(2024, 4, 30)
    assert last_day("2023-02") == date(2023, 2, 28)
