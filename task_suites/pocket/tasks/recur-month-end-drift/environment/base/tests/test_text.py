from datetime import date

import pytest

from recur import Frequency, NthWeekday, Rule, format_rule, parse_rule


@pytest.mark.parametrize(
    "text",
    [
        "every day",
        "every 2 weeks on mon, thu until 2024-05-01",
        "every month or last day for 1 time",
        "every 4 years for 3 times",
    ],
)
def test_reads_back(text: str) -> None:
    """The shortest text of a rule is read and written unchanged."""
    assert format_rule(parse_rule(text)) == text


def test_limits_come_last() -> None:
    """A rule with both limits names the count first."""
    rule = Rule(frequency=Frequency.DAILY, count=2, until=date(2024, 1, 9))
    assert format_rule(rule) == "every day for 2 times until 2024-01-09"


def test_nth_weekday() -> None:
    """The place in the month is written with its ordinal."""
    place = NthWeekday(nth=3, weekday=2)
    rule = Rule(frequency=Frequency.YEARLY, nth_weekday=place)
    assert format_rule(rule) == "every year on the 3rd wed"
