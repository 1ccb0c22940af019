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


def nth_weekday(year: int, month: int, weekday: int, nth: int) -> date | None:
    """Return the nth such weekday of a month, or None where the month has none.

    A negative `nth` counts from the end of the month: -1 is the last one.
    """
    last = days_in_month(year, month)
    if nth > 0:
        first_weekday = date(year, month, 1).weekday()
        day = 1 + (weekday - first_weekday) % DAYS_IN_WEEK + DAYS_IN_WEEK * (nth - 1)
    else:
        last_weekday = date(year, month, last).weekday()
        day = last - (last_weekday - weekday) % DAYS_IN_WEEK + DAYS_IN_WEEK * (nth + 1)
    return date(year, month, day) if 1 <= day <= last else None
