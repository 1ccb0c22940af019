from datetime import date
from itertools import islice

import pytest

from recur import Frequency, MonthEnd, NthWeekday, Rule, Schedule, expand, parse_rule


def clamped(start, number, **parts):
    parts.setdefault("frequency", Frequency.MONTHLY)
    rule = Rule(month_end=MonthEnd.CLAMP, **parts)
    return [f"{day:%m-%d}" for day in islice(expand(rule, start), number)]


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        (date(2024, 1, 31), ["01-31", "02-29", "03-31", "04-30", "05-31", "06-30", "07-31"]),
        (date(2023, 1, 30), ["01-30", "02-28", "03-30", "04-30", "05-30"]),
        (date(2023, 12, 29), ["12-29", "01-29", "02-29", "03-29"]),
        (date(2022, 12, 29), ["12-29", "01-29", "02-28", "03-29"]),
        (date(2024, 3, 31), ["03-31", "04-30", "05-31"]),
    ],
    ids=str,
)
def test_every_month_is_judged_by_the_start(start, expected):
    assert clamped(start, len(expected)) == expected


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        (date(2024, 4, 30), ["04-30", "05-30", "06-30"]),
        (date(2024, 2, 29), ["02-29", "03-29", "04-29"]),
        (date(2023, 2, 28), ["02-28", "03-28", "04-28"]),
    ],
    ids=str,
)
def test_the_last_day_of_a_short_month_stays_its_number(start, expected):
    assert clamped(start, 3) == expected


def test_a_leap_day_comes_back():
    days = clamped(date(2024, 2, 29), 9, frequency=Frequency.YEARLY)
    assert [index for index, day in enumerate(days) if day == "02-29"] == [0, 4, 8]
    assert days[1] == "02-28"


def test_intervals():
    assert clamped(date(2024, 1, 31), 5, interval=3) == ["01-31", "04-30", "07-31", "10-31", "01-31"]


def test_limits():
    rule = parse_rule("monthly or last day until 2024-03-31")
    assert list(expand(rule, date(2024, 1, 31)))[-1] == date(2024, 3, 31)


def test_in_a_schedule():
    rent = Schedule(rule=parse_rule("monthly or last day"), start=date(2024, 1, 31))
    assert rent.occurs_on(date(2025, 1, 31))
    assert not rent.occurs_on(date(2025, 1, 29))


def test_days_that_every_month_has():
    assert clamped(date(2024, 1, 15), 3) == ["01-15", "02-15", "03-15"]


def test_without_clamping():
    days = list(islice(expand(parse_rule("monthly"), date(2024, 1, 31)), 3))
    assert days == [date(2024, 1, 31), date(2024, 3, 31), date(2024, 5, 31)]


def test_places_in_the_month():
    rule = Rule(
        frequency=Frequency.MONTHLY,
        nth_weekday=NthWeekday(nth=-1, weekday=4),
        month_end=MonthEnd.CLAMP,
    )
    days = list(islice(expand(rule, date(2024, 1, 1)), 2))
    assert days == [date(2024, 1, 26), date(2024, 2, 23)]
