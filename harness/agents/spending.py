"""What a rollout has spent and which of its limits that reaches. Pure but for the clock, which arrives as an argument."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.rollout import Ending

if TYPE_CHECKING:
    from collections.abc import Callable

    from harness.ports import Limits
    from harness.rollout import Call


class Spending:
    """Calls, output tokens, money and seconds of one rollout against its limits."""

    def __init__(self, limits: Limits, seconds: float, clock: Callable[[], float]) -> None:
        self._limits = limits
        self._clock = clock
        self._deadline = clock() + seconds
        self._seconds = seconds
        self.calls: list[Call] = []

    def book(self, call: Call) -> None:
        """Add a call, before anybody looks at its content."""
        self.calls.append(call)

    @property
    def seconds_left(self) -> float:
        """Seconds until the deadline, at least 0."""
        return max(0.0, self._deadline - self._clock())

    def for_one_command(self) -> float:
        """The longest that one command may run: what is left, or the limit without a sign of life."""
        return max(1.0, min(self.seconds_left, self._limits.idle_seconds))

    def exhausted(self) -> tuple[Ending, str] | None:
        """The limit that forbids a further call, with the ending it means; None while there is something left."""
        if not self.seconds_left:
            return Ending.AGENT_TIMEOUT, f"{self._seconds:.0f} s are over"
        if len(self.calls) >= self._limits.calls:
            return Ending.AGENT_BUDGET, f"{self._limits.calls} model calls are used up"
        tokens = sum(call.usage.output for call in self.calls)
        if tokens >= self._limits.tokens:
            return Ending.AGENT_BUDGET, f"{tokens} output tokens of {self._limits.tokens} are used up"
        return self._money()

    def _money(self) -> tuple[Ending, str] | None:
        if self._limits.usd is None:
            return None
        costs = [call.cost_usd for call in self.calls]
        known = [cost for cost in costs if cost is not None]
        if len(known) < len(costs):
            return Ending.AGENT_BUDGET, "a call's price is unknown, so the money limit cannot be kept"
        if sum(known) >= self._limits.usd:
            return Ending.AGENT_BUDGET, f"${sum(known):.4f} of ${self._limits.usd:.4f} are used up"
        return None
