from datetime import date

from recur import Schedule, parse_rule

WEEKLY = parse_rule("weekly for 3 times")
START = date(2024, 1, 1)


def test_exceptions_are_left_out() -> None:
    """A date of the rule that is an exception does not take place."""
    schedule = Schedule(
        rule=parse_rule("weekly until 2024-01-16"),
        start=START,
        exceptions=frozenset({date(2024, 1, 8)}),
    )
    assert list(schedule) == [START, date(2024, 1, 15)]


def test_additions_are_sorted_in() -> None:
    """Added dates come in order, and only once where the rule has them too."""
    schedule = Schedule(
        rule=parse_rule("weekly until 2024-01-10"),
        start=START,
        additions=(date(2024, 1, 8), date(2024, 1, 5)),
    )
    assert list(schedule) == [START, date(2024, 1, 5), date(2024, 1, 8)]


def test_exceptions_use_up_the_count() -> None:
    """An exception shortens a counted schedule."""
    exceptions = frozenset({date(2024, 1, 8)})
    schedule = Schedule(rule=WEEKLY, start=START, exceptions=exceptions)
    assert list(schedule) == [START, date(2024, 1, 15)]


def test_between_includes_both_ends() -> None:
    """A span holds its first and its last day."""
    schedule = Schedule(rule=parse_rule("daily"), start=START)
    assert schedule.between(date(2024, 1, 2), date(2024, 1, 4)) == [
        date(2024, 1, 2),
        date(2024, 1, 3),
        date(2024, 1, 4),
    ]


def test_occurs_on() -> None:
    """A schedule knows its dates."""
    schedule = Schedule(rule=WEEKLY, start=START)
    assert schedule.occurs_on(date(2024, 1, 8))
    assert not schedule.occurs_on(date(2024, 1, 9))


def test_neighbours_of_a_date() -> None:
    """The neighbours of a date do not include the date."""
    schedule = Schedule(rule=WEEKLY, start=START)
    assert schedule.next_after(date(2024, 1, 8)) == date(2024, 1, 15)
    assert schedule.last_before(date(2024, 1, 8)) == START
    assert schedule.next_after(date(2024, 1, 15)) is None
