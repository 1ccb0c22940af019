"""Several limits on one thing: a cost is granted only if all of them grant it."""

from throttle.decision import Decision
from throttle.errors import InvalidLimitError
from throttle.limiter import Limiter


class AllOf:
    """Grants what every one of ``limiters`` grants; a refusal charges none of them."""

    def __init__(self, *limiters: Limiter) -> None:
        """Take the limiters to ask; there must be one at least."""
        if not limiters:
            raise InvalidLimitError("AllOf needs at least one limiter")
        self._limiters = limiters

    def peek(self, cost: float = 1) -> Decision:
        """Return what ``acquire(cost)`` would answer now, and charge nothing."""
        answers = [limiter.peek(cost) for limiter in self._limiters]
        return _strictest(answers)

    def acquire(self, cost: float = 1) -> Decision:
        """Charge ``cost`` to every limiter, or to none if any of them refuses."""
        # Ask everybody first: a refusal or an error must come before the first charge.
        decision = self.peek(cost)
        if not decision:
            return decision
        return _strictest([limiter.acquire(cost) for limiter in self._limiters])

    def refund(self, cost: float = 1) -> None:
        """Give ``cost`` back to every limiter."""
        for limiter in self._limiters:
            limiter.refund(cost)


def _strictest(answers: list[Decision]) -> Decision:
    """Join answers: the least that remains, the longest wait, allowed if all agree."""
    return Decision(
        allowed=all(answers),
        remaining=min(answer.remaining for answer in answers),
        retry_after=max(answer.retry_after for answer in answers),
    )
