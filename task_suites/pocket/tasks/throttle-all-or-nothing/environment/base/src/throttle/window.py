"""Sliding window: never more than a limit in any stretch of so many seconds."""

from collections import deque
from typing import Self

from throttle.checks import check_cost, require_positive
from throttle.clock import Clock
from throttle.decision import Decision
from throttle.rates import Rate, parse_rate


class SlidingWindow:
    """Lets charges add up to ``limit`` in any stretch of ``window`` seconds."""

    def __init__(self, limit: float, window: float, clock: Clock) -> None:
        """Start with nothing charged."""
        self.limit = require_positive("limit", limit)
        self.window = require_positive("window", window)
        self._clock = clock
        # (moment at which the charge stops counting, cost), oldest first
        self._charges: deque[tuple[float, float]] = deque()

    @classmethod
    def from_rate(cls, rate: Rate | str, clock: Clock) -> Self:
        """Make a window as long as the period of ``rate``."""
        rate = parse_rate(rate) if isinstance(rate, str) else rate
        return cls(rate.count, rate.period, clock)

    def peek(self, cost: float = 1) -> Decision:
        """Return what ``acquire(cost)`` would answer now, and charge nothing."""
        check_cost(cost, self.limit)
        now = self._clock()
        self._expire(now)
        remaining = self.limit - sum(charge for _, charge in self._charges)
        if cost <= remaining:
            return Decision(allowed=True, remaining=remaining - cost)
        wait = self._wait_for(cost - remaining, now)
        return Decision(allowed=False, remaining=remaining, retry_after=wait)

    def acquire(self, cost: float = 1) -> Decision:
        """Charge ``cost`` if the window has room for it, else charge nothing."""
        decision = self.peek(cost)
        if decision:
            self._charges.append((self._clock() + self.window, cost))
        return decision

    def refund(self, cost: float = 1) -> None:
        """Take ``cost`` off the newest charges; what exceeds them is lost."""
        check_cost(cost, self.limit)
        self._expire(self._clock())
        while self._charges and cost > 0:
            ends, charge = self._charges.pop()
            if charge > cost:
                self._charges.append((ends, charge - cost))
            cost -= charge

    def _wait_for(self, missing: float, now: float) -> float:
        """Return the seconds until expiring charges have freed ``missing``."""
        freed = 0.0
        for ends, charge in self._charges:
            freed += charge
            if freed >= missing:
                return ends - now
        raise AssertionError("a cost within the limit always fits into an empty window")

    def _expire(self, now: float) -> None:
        while self._charges and self._charges[0][0] <= now:
            self._charges.popleft()
