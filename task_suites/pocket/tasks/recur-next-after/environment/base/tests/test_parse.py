from datetime import date

import pytest

from recur import Frequency, MonthEnd, NthWeekday, Rule, RuleSyntaxError, parse_rule


@pytest.mark.parametrize(
    ("text", "frequency", "interval"),
    [
        ("daily", Frequency.DAILY, 1),
        ("every week", Frequency.WEEKLY, 1),
        ("Every 3 Months", Frequency.MONTHLY, 3),
        ("every 1 year", Frequency.YEARLY, 1),
    ],
)
def test_frequencies(text: str, frequency: Frequency, interval: int) -> None:
    """A rule begins with an adverb, or with 'every' and a unit."""
    assert parse_rule(text) == Rule(frequency=frequency, interval=interval)


def test_weekdays() -> None:
    """Weekdays may be separated by commas, and come out sorted."""
    assert parse_rule("weekly on thu, mon").weekdays == (0, 3)


def test_weekday_words() -> None:
    """Full names and groups of days may be mixed."""
    assert parse_rule("weekly on weekends, Wednesday").weekdays == (2, 5, 6)


def test_clauses_in_any_order() -> None:
    """The clauses behind the frequency come in any order."""
    assert parse_rule("monthly until 2024-05-01 for 3 times or last day") == Rule(
        frequency=Frequency.MONTHLY,
        count=3,
        until=date(2024, 5, 1),
        month_end=MonthEnd.CLAMP,
    )


def test_nth_weekday() -> None:
    """A monthly rule may name a place in the month."""
    rule = parse_rule("monthly on the last fri")
    assert rule.nth_weekday == NthWeekday(nth=-1, weekday=4)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "sometimes",
        "every 2 fortnights",
        "weekly on",
        "weekly on mo",
        "daily for three times",
        "daily until tomorrow",
        "daily for 2 times for 3 times",
    ],
)
def test_refuses_other_text(text: str) -> None:
    """Text outside the grammar is an error, never a guess."""
    with pytest.raises(RuleSyntaxError):
        parse_rule(text)


def test_errors_point_at_the_word() -> None:
    """A syntax error knows where the word at fault begins."""
    with pytest.raises(RuleSyntaxError, match="found 'wekes'") as caught:
        parse_rule("every 2 wekes")
    assert caught.value.position == 8
    assert caught.value.pointer() == "every 2 wekes\n        ^"
