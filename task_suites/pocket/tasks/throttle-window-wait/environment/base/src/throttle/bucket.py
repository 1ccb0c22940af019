"""Token bucket: bursts up to a capacity, then a steady pace."""

from typing import Self

from throttle.checks import check_cost, require_positive
from throttle.clock import Clock
from throttle.decision import Decision
from throttle.rates import Rate, parse_rate


class TokenBucket:
    """Holds up to ``capacity`` tokens and earns ``rate`` of them a second."""

    def __init__(self, capacity: float, rate: float, clock: Clock) -> None:
        """Start with a full bucket."""
        self.capacity = require_positive("capacity", capacity)
        self.rate = require_positive("rate", rate)
        self._clock = clock
        self._tokens = capacity
        self._refilled_at = clock()

    @classmethod
    def from_rate(cls, rate: Rate | str, clock: Clock) -> Self:
        """Make a bucket that holds one period's worth of ``rate``."""
        rate = parse_rate(rate) if isinstance(rate, str) else rate
        return cls(rate.count, rate.per_second, clock)

    def peek(self, cost: float = 1) -> Decision:
        """Return what ``acquire(cost)`` would answer now, and take no token."""
        check_cost(cost, self.capacity)
        self._refill()
        missing = cost - self._tokens
        if missing <= 0:
            return Decision(allowed=True, remaining=self._tokens - cost)
        wait = missing / self.rate
        return Decision(allowed=False, remaining=self._tokens, retry_after=wait)

    def acquire(self, cost: float = 1) -> Decision:
        """Take ``cost`` tokens if they are there, else take none."""
        decision = self.peek(cost)
        if decision:
            self._tokens = decision.remaining
        return decision

    def refund(self, cost: float = 1) -> None:
        """Put ``cost`` tokens back; what does not fit into the bucket is lost."""
        check_cost(cost, self.capacity)
        self._refill()
        self._tokens = min(self.capacity, self._tokens + cost)

    def _refill(self) -> None:
        now = self._clock()
        # A clock that was set back earns nothing, and keeping the later reading makes
        # sure that the seconds it runs through again are not paid for twice.
        if now <= self._refilled_at:
            return
        earned = (now - self._refilled_at) * self.rate
        self._tokens = min(self.capacity, self._tokens + earned)
        self._refilled_at = now
