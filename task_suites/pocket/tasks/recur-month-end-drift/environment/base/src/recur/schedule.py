"""A rule with a start date, and the dates that were added or taken out by hand."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from heapq import merge
from itertools import groupby, takewhile

from recur.expand import expand
from recur.rule import Rule


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """The dates of one recurring thing.

    Attributes:
        rule: When it recurs.
        start: The date from which the rule counts.
        additions: Dates besides those of the rule, in any order.
        exceptions: Dates on which it does not take place after all.
    """

    rule: Rule
    start: date
    additions: tuple[date, ...] = ()
    exceptions: frozenset[date] = frozenset()

    def __iter__(self) -> Iterator[date]:
        """Yield each date once, in ascending order.

        The limits of the rule are limits on the rule's own dates: an exception does
        not move them, and an addition is not counted.
        """
        days = merge(expand(self.rule, self.start), sorted(self.additions))
        for day, _ in groupby(days):
            if day not in self.exceptions:
                yield day

    def between(self, first: date, last: date) -> list[date]:
        """Return the dates from `first` to `last`, both included."""
        return [day for day in takewhile(lambda day: day <= last, self) if day >= first]

    def occurs_on(self, day: date) -> bool:
        """Say whether the schedule holds this date."""
        return bool(self.between(day, day))

    def next_after(self, day: date, *, inclusive: bool = False) -> date | None:
        """Return the first date after `day`, or None where the schedule has ended.

        With `inclusive`, `day` itself counts as well.
        """
        for candidate in self:
            if candidate > day or (inclusive and candidate == day):
                return candidate
        return None

    def last_before(self, day: date, *, inclusive: bool = False) -> date | None:
        """Return the last date before `day`, or None where there is none.

        With `inclusive`, `day` itself counts as well.
        """
        found = None
        for candidate in self:
            if candidate > day or (candidate == day and not inclusive):
                break
            found = candidate
        return found
