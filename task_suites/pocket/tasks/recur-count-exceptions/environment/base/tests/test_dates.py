from datetime import date

import pytest

from recur.dates import days_in_month, month_at, month_index, nth_weekday


@pytest.mark.parametrize(
    ("year", "month", "days"),
    [(2024, 1, 31), (2024, 2, 29), (2023, 2, 28), (1900, 2, 28), (2000, 2, 29)],
)
def test_days_in_month(year: int, month: int, days: int) -> None:
    """February follows the Gregorian leap years."""
    assert days_in_month(year, month) == days


def test_month_index_and_back() -> None:
    """An index leads back to its year and month, across the end of a year."""
    index = month_index(date(2023, 12, 24))
    assert month_at(index) == (2023, 12)
    assert month_at(index + 1) == (2024, 1)


def test_nth_weekday() -> None:
    """Places count from the first such weekday, or back from the last."""
    assert nth_weekday(2024, 1, 1, 2) == date(2024, 1, 9)
    assert nth_weekday(2024, 1, 4, -1) == date(2024, 1, 26)
