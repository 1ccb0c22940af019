"""Several limits on one thing: a cost is granted only if all of them grant it."""

import math
from collections.abc import Iterator

from throttle.decision import Decision
from throttle.errors import InvalidLimitError
from throttle.limiter import Limiter


class AllOf:
    """Grants what every one of ``limiters`` grants."""

    def __init__(self, *limiters: Limiter) -> None:
        """Take the limiters to ask; there must be one at least."""
        if not limiters:
            raise InvalidLimitError("AllOf needs at least one limiter")
        self._limiters = limiters

    def peek(self, cost: float = 1) -> Decision:
        """Return what ``acquire(cost)`` would answer now, and charge nothing."""
        return _first_refusal(limiter.peek(cost) for limiter in self._limiters)

    def acquire(self, cost: float = 1) -> Decision:
        """Charge ``cost`` to one limiter after the other, until one refuses."""
        return _first_refusal(limiter.acquire(cost) for limiter in self._limiters)

    def refund(self, cost: float = 1) -> None:
        """Give ``cost`` back to every limiter."""
        for limiter in self._limiters:
            limiter.refund(cost)


def _first_refusal(answers: Iterator[Decision]) -> Decision:
    """Return the first refusal, or a grant with the least that remains."""
    remaining = math.inf
    for answer in answers:
        if not answer:
            return answer
        remaining = min(remaining, answer.remaining)
    return Decision(allowed=True, remaining=remaining)
