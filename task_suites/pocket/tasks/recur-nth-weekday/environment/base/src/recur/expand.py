"""From a rule and a start date to the dates themselves."""

from collections.abc import Iterator
from datetime import date
from itertools import islice

from recur.dates import (
    DAYS_IN_WEEK,
    days_in_month,
    month_at,
    month_index,
)
from recur.rule import Frequency, MonthEnd, Rule


def expand(rule: Rule, start: date) -> Iterator[date]:
    """Yield the dates of a rule from `start` on, in ascending order.

    `start` itself is a date only if the rule falls on it. A rule with neither
    `count` nor `until` runs on to the end of the calendar, in the year 9999.
    """
    for day in islice(_unlimited(rule, start), rule.count):
        if rule.until is not None and day > rule.until:
            return
        yield day


def _unlimited(rule: Rule, start: date) -> Iterator[date]:
    if rule.frequency is Frequency.DAILY:
        return _days(start, rule.interval)
    if rule.frequency is Frequency.WEEKLY:
        return _weeks(rule, start)
    if rule.frequency is Frequency.MONTHLY:
        return _months(rule, start, rule.interval)
    return _months(rule, start, 12 * rule.interval)


def _days(start: date, step: int) -> Iterator[date]:
    for ordinal in range(start.toordinal(), date.max.toordinal() + 1, step):
        yield date.fromordinal(ordinal)


def _weeks(rule: Rule, start: date) -> Iterator[date]:
    weekdays = rule.weekdays or (start.weekday(),)
    offsets = sorted({(day - rule.week_start) % DAYS_IN_WEEK for day in weekdays})
    earliest, latest = start.toordinal(), date.max.toordinal()
    first_week = earliest - (start.weekday() - rule.week_start) % DAYS_IN_WEEK
    for week in range(first_week, latest + 1, DAYS_IN_WEEK * rule.interval):
        for offset in offsets:
            if earliest <= week + offset <= latest:
                yield date.fromordinal(week + offset)


def _months(rule: Rule, start: date, step: int) -> Iterator[date]:
    for index in range(month_index(start), month_index(date.max) + 1, step):
        day = _day_in_month(rule, start.day, *month_at(index))
        if day is not None and day >= start:
            yield day


def _day_in_month(rule: Rule, wanted: int, year: int, month: int) -> date | None:
    last = days_in_month(year, month)
    if wanted > last and rule.month_end is MonthEnd.SKIP:
        return None
    return date(year, month, min(wanted, last))
