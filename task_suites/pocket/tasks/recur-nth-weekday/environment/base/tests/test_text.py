from datetime import date

import pytest

from recur import Frequency, Rule, format_rule, parse_rule


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
