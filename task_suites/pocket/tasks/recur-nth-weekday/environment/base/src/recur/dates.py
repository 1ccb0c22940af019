"""Calendar arithmetic on plain dates; knows nothing about rules.

Weekdays are numbered as in `datetime`: Monday is 0 and Sunday is 6.
"""

import calendar
from datetime import date

DAYS_IN_WEEK = 7


def days_in_month(year: int, month: int) -> int:
    """Return the number of days of a month."""
    return calendar.monthrange(year, month)[1]


def month_index(day: date) -> int:
    """Return the months between January of year 0 and the month of `day`."""
    return day.year * 12 + day.month - 1


def month_at(index: int) -> tuple[int, int]:
    """Return the (year, month) with this index; undoes `month_index`."""
    year, month = divmod(index, 12)
    return year, month + 1
