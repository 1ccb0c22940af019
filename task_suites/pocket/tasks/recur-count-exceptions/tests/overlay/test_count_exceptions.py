from datetime import date
from itertools import islice

import pytest

from recur import Schedule, parse_rule

START = date(2024, 1, 1)


def january(*days):
    return [date(2024, 1, day) for day in days]


def schedule(text, additions=(), exceptions=()):
    return Schedule(
        rule=parse_rule(text),
        start=START,
        additions=tuple(january(*additions)),
        exceptions=frozenset(january(*exceptions)),
    )


@pytest.mark.parametrize(
    ("cancelled", "expected"),
    [((1,), (8, 15)), ((8,), (1, 15)), ((15,), (1, 8)), ((1, 8, 15), ())],
    ids=["first", "middle", "last", "all"],
)
def test_nothing_comes_in_place_of_an_exception(cancelled, expected):
    assert list(schedule("weekly for 3 times", exceptions=cancelled)) == january(*expected)


@pytest.mark.parametrize(
    ("added", "expected"),
    [((3,), (1, 3, 8, 15)), ((31, 2), (1, 2, 8, 15, 31)), ((30, 31), (1, 8, 15, 30, 31))],
    ids=["early", "both-sides", "late"],
)
def test_additions_come_on_top(added, expected):
    assert list(schedule("weekly for 3 times", additions=added)) == january(*expected)


def test_an_addition_before_the_start():
    early = date(2023, 12, 30)
    extra = Schedule(rule=parse_rule("weekly for 1 time"), start=START, additions=(early,))
    assert list(extra) == [early, START]


def test_an_addition_on_a_date_of_the_rule_is_one_date():
    assert list(schedule("weekly for 3 times", additions=(8, 8))) == january(1, 8, 15)


def test_both_at_once():
    days = schedule("weekly for 3 times", additions=(3, 8), exceptions=(15,))
    assert list(days) == january(1, 3, 8)


def test_an_exception_that_the_rule_does_not_have():
    assert list(schedule("weekly for 2 times", exceptions=(2, 15))) == january(1, 8)


def test_an_exception_wins_over_an_addition():
    days = schedule("weekly until 2024-01-10", additions=(3, 4), exceptions=(3,))
    assert list(days) == january(1, 4, 8)


def test_the_end_of_a_counted_schedule():
    days = schedule("daily for 3 times", exceptions=(2,))
    assert not days.occurs_on(date(2024, 1, 4))
    assert days.between(date(2024, 1, 2), date(2024, 1, 9)) == january(3)


def test_rules_without_count_go_on():
    days = schedule("weekly", additions=(3,), exceptions=(8,))
    assert list(islice(days, 4)) == january(1, 3, 15, 22)


def test_a_schedule_can_be_read_twice():
    days = schedule("daily for 2 times")
    assert list(days) == list(days) == january(1, 2)
