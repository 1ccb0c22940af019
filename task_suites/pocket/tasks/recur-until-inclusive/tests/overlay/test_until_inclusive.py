from datetime import date
from itertools import islice

import pytest

from recur import Frequency, Rule, Schedule, expand, parse_rule


@pytest.mark.parametrize(
    ("frequency", "start", "until"),
    [
        (Frequency.DAILY, date(2024, 2, 28), date(2024, 2, 29)),
        (Frequency.WEEKLY, date(2023, 12, 27), date(2024, 1, 3)),
        (Frequency.MONTHLY, date(2024, 1, 15), date(2024, 2, 15)),
        (Frequency.YEARLY, date(2023, 3, 1), date(2024, 3, 1)),
    ],
    ids=["daily", "weekly", "monthly", "yearly"],
)
def test_a_date_on_until_is_the_last_one(frequency, start, until):
    assert list(expand(Rule(frequency=frequency, until=until), start)) == [start, until]


def test_a_start_on_until_is_the_only_date():
    day = date(2024, 5, 1)
    assert list(expand(Rule(frequency=Frequency.WEEKLY, until=day), day)) == [day]


def test_until_read_from_text_is_inclusive_and_unchanged():
    rule = parse_rule("every 2 days until 2024-01-05")
    assert rule.until == date(2024, 1, 5)
    assert list(expand(rule, date(2024, 1, 1))) == [date(2024, 1, 1), date(2024, 1, 3), date(2024, 1, 5)]


def test_until_on_the_last_date_of_the_calendar():
    rule = Rule(frequency=Frequency.DAILY, until=date.max)
    assert list(expand(rule, date(9999, 12, 30))) == [date(9999, 12, 30), date.max]


def test_until_far_away_does_not_get_in_the_way():
    rule = Rule(frequency=Frequency.YEARLY, until=date.max)
    days = list(islice(expand(rule, date(2024, 1, 1)), 2))
    assert days == [date(2024, 1, 1), date(2025, 1, 1)]


def test_a_schedule_holds_the_date_on_until():
    schedule = Schedule(rule=parse_rule("weekly until 2024-01-15"), start=date(2024, 1, 1))
    assert schedule.occurs_on(date(2024, 1, 15))
    assert schedule.between(date(2024, 1, 9), date(2024, 1, 31)) == [date(2024, 1, 15)]


def test_the_earlier_limit_wins():
    rule = parse_rule("daily until 2024-01-03 for 9 times")
    assert len(list(expand(rule, date(2024, 1, 1)))) == 3


def test_count_ends_before_until():
    rule = parse_rule("daily until 2024-01-09 for 2 times")
    assert len(list(expand(rule, date(2024, 1, 1)))) == 2


def test_until_between_two_dates():
    rule = parse_rule("weekly until 2024-01-14")
    assert list(expand(rule, date(2024, 1, 1))) == [date(2024, 1, 1), date(2024, 1, 8)]


def test_until_before_the_start():
    assert list(expand(parse_rule("daily until 2024-01-01"), date(2024, 1, 2))) == []
