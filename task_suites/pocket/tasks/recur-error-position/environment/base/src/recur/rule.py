"""What a rule is made of, and which parts go together."""

from dataclasses import dataclass
from datetime import date
from enum import Enum

from recur.errors import RuleError


class Frequency(Enum):
    """The unit in which a rule steps."""

    DAILY = "day"
    WEEKLY = "week"
    MONTHLY = "month"
    YEARLY = "year"


class MonthEnd(Enum):
    """What happens in a month that is too short for the day of the start date."""

    SKIP = "skip"
    CLAMP = "clamp"


@dataclass(frozen=True, slots=True, kw_only=True)
class NthWeekday:
    """A place in a month, such as its second Tuesday or its last Friday.

    Attributes:
        nth: 1 to 5 from the beginning of the month, or -1 for the last one.
        weekday: Monday is 0 and Sunday is 6.
    """

    nth: int
    weekday: int

    def __post_init__(self) -> None:
        """Refuse places that no month has."""
        if self.nth not in (1, 2, 3, 4, 5, -1):
            raise RuleError(f"nth must be 1 to 5 or -1, not {self.nth}")
        _check_weekday(self.weekday)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """When something recurs, leaving open from which date on.

    Attributes:
        frequency: The unit in which the rule steps.
        interval: Every how many units; 1 is each of them.
        count: At most this many dates; None is no limit.
        until: No date after this one; None is no limit.
        weekdays: The days of the week of a weekly rule; empty is that of the start.
        week_start: The weekday with which a week begins.
        nth_weekday: The day of a monthly or yearly rule, in place of the day of
            the start date.
        month_end: What a monthly or yearly rule does in a month that is too short.
    """

    frequency: Frequency
    interval: int = 1
    count: int | None = None
    until: date | None = None
    weekdays: tuple[int, ...] = ()
    week_start: int = 0
    nth_weekday: NthWeekday | None = None
    month_end: MonthEnd = MonthEnd.SKIP

    def __post_init__(self) -> None:
        """Refuse values out of range and parts that do not go together."""
        if self.interval < 1:
            raise RuleError(f"interval must be at least 1, not {self.interval}")
        if self.count is not None and self.count < 1:
            raise RuleError(f"count must be at least 1, not {self.count}")
        if self.weekdays and self.frequency is not Frequency.WEEKLY:
            raise RuleError("weekdays go with a weekly rule only")
        for weekday in (*self.weekdays, self.week_start):
            _check_weekday(weekday)
        if self.nth_weekday is not None and not self._steps_by_months():
            raise RuleError("nth_weekday goes with a monthly or yearly rule only")
        if self.month_end is not MonthEnd.SKIP and not self._steps_by_months():
            raise RuleError("month_end goes with a monthly or yearly rule only")

    def _steps_by_months(self) -> bool:
        return self.frequency in (Frequency.MONTHLY, Frequency.YEARLY)


def _check_weekday(weekday: int) -> None:
    if not 0 <= weekday <= 6:
        raise RuleError(f"a weekday is 0 (Monday) to 6 (Sunday), not {weekday}")
