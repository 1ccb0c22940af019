"""A rule with a start date, and the dates that were added or taken out by hand."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from heapq import merge
from itertools import groupby, islice, takewhile

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
        """Return an iterator over the dates, each of them once, in ascending order."""
        endless = replace(self.rule, count=None)
        days = merge(expand(endless, self.start), sorted(self.additions))
        kept = (day for day, _ in groupby(days) if day not in self.exceptions)
        return islice(kept, self.rule.count)

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
