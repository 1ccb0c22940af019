from datetime import date
from itertools import islice

import pytest

from recur import Frequency, Rule, Schedule, expand, parse_rule

MON, TUE, WED, THU, FRI, SAT, SUN = range(7)


def days_of(start, number, **parts):
    rule = Rule(frequency=Frequency.WEEKLY, **parts)
    return [f"{day:%m-%d}" for day in islice(expand(rule, start), number)]


@pytest.mark.parametrize(
    ("start", "interval", "weekdays", "expected"),
    [
        (date(2024, 1, 3), 2, (MON, FRI), ["01-05", "01-15", "01-19", "01-29"]),
        (date(2024, 1, 3), 2, (FRI, MON), ["01-05", "01-15", "01-19", "01-29"]),
        (date(2024, 1, 3), 3, (TUE,), ["01-23", "02-13"]),
        (date(2024, 1, 5), 2, (MON, WED, FRI), ["01-05", "01-15", "01-17", "01-19"]),
        (date(2024, 1, 7), 2, (MON, SUN), ["01-07", "01-15", "01-21"]),
        (date(2024, 1, 6), 2, (MON, TUE), ["01-15", "01-16", "01-29"]),
    ],
    ids=["mid-week", "unsorted", "before-start", "three-days", "sunday", "none-left"],
)
def test_weeks_are_counted_from_the_week_of_the_start(start, interval, weekdays, expected):
    assert days_of(start, len(expected), interval=interval, weekdays=weekdays) == expected


@pytest.mark.parametrize(
    ("start", "weekdays", "expected"),
    [
        (date(2024, 1, 7), (SUN, MON), ["01-07", "01-08", "01-21", "01-22"]),
        (date(2024, 1, 7), (MON, SUN), ["01-07", "01-08", "01-21", "01-22"]),
        (date(2024, 1, 3), (MON, SUN), ["01-14", "01-15", "01-28"]),
        (date(2024, 1, 10), (SAT, SUN, TUE), ["01-13", "01-21", "01-23", "01-27"]),
    ],
    ids=["sunday-first", "monday-first", "mid-week", "three-days"],
)
def test_weeks_from_sunday(start, weekdays, expected):
    assert days_of(start, len(expected), interval=2, weekdays=weekdays, week_start=SUN) == expected


def test_weeks_from_saturday():
    days = days_of(date(2024, 1, 5), 3, interval=2, weekdays=(FRI, SAT), week_start=SAT)
    assert days == ["01-05", "01-13", "01-19"]


def test_count_takes_the_first_in_order():
    rule = Rule(
        frequency=Frequency.WEEKLY, interval=2, weekdays=(MON, SUN), week_start=SUN, count=1
    )
    assert list(expand(rule, date(2024, 1, 3))) == [date(2024, 1, 14)]


def test_dates_ascend_whatever_the_week_start():
    for week_start in range(7):
        days = days_of(date(2024, 1, 3), 12, interval=2, weekdays=tuple(range(7)), week_start=week_start)
        assert days == sorted(set(days))


def test_from_text_and_in_a_schedule():
    rule = parse_rule("every 2 weeks on mon, fri until 2024-01-20")
    schedule = Schedule(rule=rule, start=date(2024, 1, 3))
    assert list(schedule) == [date(2024, 1, 5), date(2024, 1, 15), date(2024, 1, 19)]


def test_a_weekday_named_twice():
    assert days_of(date(2024, 1, 1), 2, weekdays=(MON, MON)) == ["01-01", "01-08"]


def test_without_weekdays():
    assert days_of(date(2024, 1, 3), 3, interval=2) == ["01-03", "01-17", "01-31"]


@pytest.mark.parametrize("week_start", range(7))
def test_week_start_is_idle_without_interval(week_start):
    days = days_of(date(2024, 1, 3), 4, weekdays=(MON, WED), week_start=week_start)
    assert days == ["01-03", "01-08", "01-10", "01-15"]


@pytest.mark.parametrize("week_start", [MON, SUN])
def test_the_ends_of_the_calendar(week_start):
    assert days_of(date(9999, 12, 30), 9, weekdays=(MON, FRI), week_start=week_start) == ["12-31"]
    assert days_of(date.min, 1, week_start=week_start) == ["01-01"]
