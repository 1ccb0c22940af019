from datetime import date
from itertools import islice

from recur import Frequency, MonthEnd, NthWeekday, Rule, expand


def test_daily_with_interval() -> None:
    """Every third day steps over the end of a month."""
    rule = Rule(frequency=Frequency.DAILY, interval=3, count=3)
    assert list(expand(rule, date(2024, 1, 28))) == [
        date(2024, 1, 28),
        date(2024, 1, 31),
        date(2024, 2, 3),
    ]


def test_weekly_on_two_days() -> None:
    """The dates of a week come in order, and none lies before the start."""
    rule = Rule(frequency=Frequency.WEEKLY, weekdays=(4, 0), count=3)
    assert list(expand(rule, date(2024, 1, 3))) == [
        date(2024, 1, 5),
        date(2024, 1, 8),
        date(2024, 1, 12),
    ]


def test_weekly_interval_counts_calendar_weeks() -> None:
    """The week after the start's week is left out, also for days before the start."""
    rule = Rule(frequency=Frequency.WEEKLY, interval=2, weekdays=(0, 4), count=3)
    assert list(expand(rule, date(2024, 1, 3))) == [
        date(2024, 1, 5),
        date(2024, 1, 15),
        date(2024, 1, 19),
    ]


def test_monthly_skips_short_months() -> None:
    """Without a policy, months that lack the day are left out."""
    rule = Rule(frequency=Frequency.MONTHLY, count=3)
    assert list(expand(rule, date(2024, 1, 31))) == [
        date(2024, 1, 31),
        date(2024, 3, 31),
        date(2024, 5, 31),
    ]


def test_clamped_months_return_to_the_day() -> None:
    """After a short month the day of the start comes back."""
    rule = Rule(frequency=Frequency.MONTHLY, month_end=MonthEnd.CLAMP, count=3)
    assert list(expand(rule, date(2024, 1, 31))) == [
        date(2024, 1, 31),
        date(2024, 2, 29),
        date(2024, 3, 31),
    ]


def test_yearly_on_a_leap_day() -> None:
    """A leap day recurs in leap years only."""
    rule = Rule(frequency=Frequency.YEARLY, count=2)
    assert list(expand(rule, date(2024, 2, 29))) == [
        date(2024, 2, 29),
        date(2028, 2, 29),
    ]


def test_monthly_on_the_nth_weekday() -> None:
    """The place is looked up in each month, from the start date on."""
    place = NthWeekday(nth=2, weekday=1)
    rule = Rule(frequency=Frequency.MONTHLY, nth_weekday=place, count=2)
    assert list(expand(rule, date(2024, 1, 10))) == [
        date(2024, 2, 13),
        date(2024, 3, 12),
    ]


def test_endless_rules_stop_with_the_calendar() -> None:
    """An endless rule ends in the year 9999 without an error."""
    for frequency in Frequency:
        rule = Rule(frequency=frequency)
        assert len(list(islice(expand(rule, date(9999, 12, 31)), 5))) == 1
