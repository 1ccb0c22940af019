"""Quota: an allowance that starts afresh at fixed times, such as every midnight."""

import math

from throttle.checks import check_cost, require_positive
from throttle.clock import Clock
from throttle.decision import Decision
from throttle.errors import InvalidLimitError


class Quota:
    """Grants ``limit`` units in each period of ``period`` seconds.

    Periods start at ``anchor`` and at every whole multiple of ``period`` from it. Up to
    ``rollover`` units that a period leaves unused are added to the next one.
    """

    def __init__(
        self,
        limit: float,
        period: float,
        clock: Clock,
        *,
        anchor: float = 0.0,
        rollover: float = 0,
    ) -> None:
        """Start in the clock's present period, with nothing used or carried over."""
        if rollover < 0:
            raise InvalidLimitError(f"rollover must not be negative, got {rollover}")
        self.limit = require_positive("limit", limit)
        self.period = require_positive("period", period)
        self.anchor = anchor
        self.rollover = rollover
        self._clock = clock
        self._index = self._index_at(clock())
        self._allowance = self._left = limit

    def peek(self, cost: float = 1) -> Decision:
        """Return what ``acquire(cost)`` would answer now, and use nothing."""
        check_cost(cost, self.limit + self.rollover)
        now = self._clock()
        self._enter(self._index_at(now))
        if cost <= self._left:
            return Decision(allowed=True, remaining=self._left - cost)
        wait = self._start_of(self._index + self._periods_until(cost)) - now
        return Decision(allowed=False, remaining=self._left, retry_after=wait)

    def acquire(self, cost: float = 1) -> Decision:
        """Use ``cost`` units if this period has them left, else use none."""
        decision = self.peek(cost)
        if decision:
            self._left = decision.remaining
        return decision

    def refund(self, cost: float = 1) -> None:
        """Give ``cost`` units back, up to what this period started with."""
        check_cost(cost, self.limit + self.rollover)
        self._enter(self._index_at(self._clock()))
        self._left = min(self._allowance, self._left + cost)

    def _enter(self, index: int) -> None:
        """Move on to period ``index``, carrying over what was left on the way."""
        passed = index - self._index
        if passed <= 0:
            return
        # Each period that passed in between was left wholly unused.
        unused = self._left + (passed - 1) * self.limit
        self._allowance = self._left = self.limit + min(self.rollover, unused)
        self._index = index

    def _periods_until(self, cost: float) -> int:
        """Return how many periods from now ``cost`` fits, if nothing else is used."""
        short = cost - self.limit - self._left
        return 1 + max(0, math.ceil(short / self.limit))

    def _index_at(self, now: float) -> int:
        return math.floor((now - self.anchor) / self.period)

    def _start_of(self, index: int) -> float:
        return self.anchor + index * self.period
