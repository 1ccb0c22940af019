"""The port that every limiter fills."""

from typing import Protocol

from throttle.decision import Decision


class Limiter(Protocol):
    """Something that grants or refuses costs."""

    def peek(self, cost: float = 1) -> Decision:
        """Return what ``acquire(cost)`` would answer now, and charge nothing."""
        ...

    def acquire(self, cost: float = 1) -> Decision:
        """Charge ``cost`` if it fits now, else charge nothing.

        Raises InvalidCostError for a cost that is not positive, and CostTooHighError
        for one that no wait would make fit.
        """
        ...

    def refund(self, cost: float = 1) -> None:
        """Give back ``cost`` that was acquired; never more than was charged."""
        ...
