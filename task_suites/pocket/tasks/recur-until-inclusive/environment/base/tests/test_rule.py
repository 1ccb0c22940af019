from datetime import date

import pytest

from recur import Frequency, MonthEnd, NthWeekday, Rule, RuleError


@pytest.mark.parametrize("interval", [0, -2])
def test_interval_is_positive(interval: int) -> None:
    """A rule that never moves on is refused."""
    with pytest.raises(RuleError, match=f"interval .* not {interval}"):
        Rule(frequency=Frequency.DAILY, interval=interval)


def test_count_is_positive() -> None:
    """A rule without any date is refused."""
    with pytest.raises(RuleError, match="count"):
        Rule(frequency=Frequency.DAILY, count=0)


def test_weekdays_need_a_weekly_rule() -> None:
    """Weekdays have no meaning for other frequencies."""
    with pytest.raises(RuleError, match="weekly rule only"):
        Rule(frequency=Frequency.MONTHLY, weekdays=(0,))


def test_weekdays_are_in_range() -> None:
    """Weekdays are numbered from 0 to 6."""
    with pytest.raises(RuleError, match="not 7"):
        Rule(frequency=Frequency.WEEKLY, weekdays=(7,))


def test_month_end_needs_months() -> None:
    """Days and weeks have no month end."""
    with pytest.raises(RuleError, match="month_end"):
        Rule(frequency=Frequency.DAILY, month_end=MonthEnd.CLAMP)


def test_nth_weekday_needs_months() -> None:
    """Days and weeks have no nth weekday."""
    with pytest.raises(RuleError, match="nth_weekday"):
        Rule(frequency=Frequency.WEEKLY, nth_weekday=NthWeekday(nth=1, weekday=0))


def test_limits_can_be_combined() -> None:
    """A rule may have both a count and a last day."""
    rule = Rule(frequency=Frequency.DAILY, count=3, until=date(2024, 1, 2))
    assert (rule.count, rule.until) == (3, date(2024, 1, 2))
