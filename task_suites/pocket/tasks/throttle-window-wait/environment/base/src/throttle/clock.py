"""Time as an argument: what a clock is, and one that tests move by hand."""

from collections.abc import Callable

Clock = Callable[[], float]
"""Any callable that returns seconds since some fixed moment."""


class ManualClock:
    """A clock that stands still until it is told otherwise."""

    def __init__(self, now: float = 0.0) -> None:
        """Start at ``now`` seconds."""
        self.now = now

    def __call__(self) -> float:
        """Return the present time in seconds."""
        return self.now

    def advance(self, seconds: float) -> None:
        """Move on by ``seconds``; a negative number sets the clock back."""
        self.now += seconds
