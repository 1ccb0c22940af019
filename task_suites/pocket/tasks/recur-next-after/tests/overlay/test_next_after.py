from datetime import date

import pytest

from recur import Schedule, parse_rule

COURSE = Schedule(
    rule=parse_rule("weekly for 4 times"),
    start=date(2024, 1, 1),
    additions=(date(2024, 1, 10),),
    exceptions=frozenset({date(2024, 1, 15)}),
)
DAYS = [date(2024, 1, 1), date(2024, 1, 8), date(2024, 1, 10), date(2024, 1, 22)]
ENDLESS = Schedule(rule=parse_rule("every 2 days"), start=date(2024, 1, 1))


def test_dates_of_the_schedule():
    assert list(COURSE) == DAYS


def test_between_is_as_before():
    assert COURSE.between(date(2024, 1, 8), date(2024, 1, 15)) == DAYS[1:3]
    assert not COURSE.occurs_on(date(2024, 1, 15))


def test_next_walks_through_all_dates():
    day, found = date(2023, 1, 1), []
    while (day := COURSE.next_after(day)) is not None:
        found.append(day)
    assert found == DAYS


def test_last_walks_back_through_all_dates():
    day, found = date(2025, 1, 1), []
    while (day := COURSE.last_before(day)) is not None:
        found.append(day)
    assert found == DAYS[::-1]


def test_an_exception_is_no_neighbour():
    assert COURSE.next_after(date(2024, 1, 10)) == date(2024, 1, 22)
    assert COURSE.last_before(date(2024, 1, 22)) == date(2024, 1, 10)


@pytest.mark.parametrize("day", DAYS, ids=str)
def test_inclusive_gives_the_date_itself(day):
    assert COURSE.next_after(day, inclusive=True) == day
    assert COURSE.last_before(day, inclusive=True) == day


@pytest.mark.parametrize("inclusive", [True, False])
def test_a_day_between_two_dates(inclusive):
    day = date(2024, 1, 9)
    assert COURSE.next_after(day, inclusive=inclusive) == date(2024, 1, 10)
    assert COURSE.last_before(day, inclusive=inclusive) == date(2024, 1, 8)


@pytest.mark.parametrize("inclusive", [True, False])
def test_a_cancelled_day_lies_between_two_dates(inclusive):
    day = date(2024, 1, 15)
    assert COURSE.next_after(day, inclusive=inclusive) == date(2024, 1, 22)
    assert COURSE.last_before(day, inclusive=inclusive) == date(2024, 1, 10)


@pytest.mark.parametrize("inclusive", [True, False])
def test_outside_of_the_schedule(inclusive):
    before, after = date(2023, 12, 31), date(2024, 2, 1)
    assert COURSE.last_before(before, inclusive=inclusive) is None
    assert COURSE.next_after(before, inclusive=inclusive) == DAYS[0]
    assert COURSE.next_after(after, inclusive=inclusive) is None
    assert COURSE.last_before(after, inclusive=inclusive) == DAYS[-1]


def test_an_endless_schedule():
    assert ENDLESS.next_after(date(2024, 1, 1)) == date(2024, 1, 3)
    assert ENDLESS.last_before(date(2024, 1, 3)) == date(2024, 1, 1)
    assert ENDLESS.last_before(date(2024, 1, 4), inclusive=True) == date(2024, 1, 3)


def test_inclusive_is_given_by_name():
    with pytest.raises(TypeError):
        COURSE.next_after(date(2024, 1, 1), True)
