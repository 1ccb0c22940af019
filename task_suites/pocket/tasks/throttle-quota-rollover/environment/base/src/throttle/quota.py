"""Quota: an allowance that starts afresh at fixed times, such as every midnight."""

import math

from throttle.checks import check_cost, require_positive
from throttle.clock import Clock
from throttle.decision import Decision


class Quota:
    """Grants ``limit`` units in each period of ``period`` seconds.

    Periods start at ``anchor`` and at every whole multiple of ``period`` from it. What
    a period leaves unused is lost.
    """

    def __init__(
        self, limit: float, period: float, clock: Clock, *, anchor: float = 0.0
    ) -> None:
        """Start in the clock's present period, with nothing used."""
        self.limit = require_positive("limit", limit)
        self.period = require_positive("period", period)
        self.anchor = anchor
        self._clock = clock
        self._index = self._index_at(clock())
        self._left = limit

    def peek(self, cost: float = 1) -> Decision:
        """Return what ``acquire(cost)`` would answer now, and use nothing."""
        check_cost(cost, self.limit)
        now = self._clock()
        self._enter(self._index_at(now))
        if cost <= self._left:
            return Decision(allowed=True, remaining=self._left - cost)
        wait = self._start_of(self._index + 1) - now
        return Decision(allowed=False, remaining=self._left, retry_after=wait)

    def acquire(self, cost: float = 1) -> Decision:
        """Use ``cost`` units if this period has them left, else use none."""
        decision = self.peek(cost)
        if decision:
            self._left = decision.remaining
        return decision

    def refund(self, cost: float = 1) -> None:
        """Give ``cost`` units back, up to what this period started with."""
        check_cost(cost, self.limit)
        self._enter(self._index_at(self._clock()))
        self._left = min(self.limit, self._left + cost)

    def _enter(self, index: int) -> None:
        """Move on to period ``index`` unless it is the present one."""
        if index <= self._index:
            return
        self._left = self.limit
        self._index = index

    def _index_at(self, now: float) -> int:
        return math.floor((now - self.anchor) / self.period)

    def _start_of(self, index: int) -> float:
        return self.anchor + index * self.period
