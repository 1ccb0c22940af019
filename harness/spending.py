"""What a rollout has spent and which of its limits that reaches. Pure but for the clock, which arrives as an argument.

A call is reserved before it is made, at the most that it may cost, and booked after it, at what it did cost.
"""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING

from harness.rollout import Ending, Usage

if TYPE_CHECKING:
    from collections.abc import Callable

    from harness.ports import Limits, ModelRequest, Price
    from harness.rollout import Call

_BYTES_PER_TOKEN = 3  # fewer than any text takes on average, so that a reservation errs on the safe side


class Spending:
    """Calls, output tokens, money and seconds of one rollout against its limits. Thread-safe."""

    def __init__(self, limits: Limits, seconds: float, clock: Callable[[], float]) -> None:
        self._limits = limits
        self._clock = clock
        self._deadline = clock() + seconds
        self._seconds = seconds
        self._reserved: list[float] = []
        self._lock = threading.Lock()
        self.calls: list[Call] = []

    def reserve(self, usd: float | None = 0.0) -> tuple[Ending, str] | None:
        """Set aside one call that may cost `usd` at most (None: nobody knows).

        Returns:
            The limit that forbids the call, with the ending it means; None when the call may be made.
        """
        with self._lock:
            if spent := self._exhausted(usd):
                return spent
            self._reserved.append(usd or 0.0)
            return None

    def book(self, call: Call, usd: float | None = 0.0) -> None:
        """Add a call, before anybody looks at its content, in place of what was reserved for it."""
        with self._lock:
            self._reserved.remove(usd or 0.0)
            self.calls.append(call)

    def charge(self, call: Call) -> None:
        """Add a call that the service charges for although no answer came of it: nothing was reserved for it by itself."""
        with self._lock:
            self.calls.append(call)

    def cancel(self, usd: float | None = 0.0) -> None:
        """Give back what was reserved for a call that was never answered."""
        with self._lock:
            self._reserved.remove(usd or 0.0)

    @property
    def seconds_left(self) -> float:
        """Seconds until the deadline, at least 0."""
        return max(0.0, self._deadline - self._clock())

    def for_one_command(self) -> float:
        """The longest that one command may run: what is left, or the limit without a sign of life."""
        return max(1.0, min(self.seconds_left, self._limits.idle_seconds))

    def _exhausted(self, usd: float | None) -> tuple[Ending, str] | None:
        if not self.seconds_left:
            return Ending.AGENT_TIMEOUT, f"{self._seconds:.0f} s are over"
        if len(self.calls) + len(self._reserved) >= self._limits.calls:
            return Ending.AGENT_BUDGET, f"{self._limits.calls} model calls are used up"
        tokens = sum(call.usage.output for call in self.calls)
        if tokens >= self._limits.tokens:
            return Ending.AGENT_BUDGET, f"{tokens} output tokens of {self._limits.tokens} are used up"
        return self._money(usd)

    def _money(self, usd: float | None) -> tuple[Ending, str] | None:
        limit = self._limits.usd
        if limit is None:
            return None
        costs = [call.cost_usd for call in self.calls]
        known = [cost for cost in costs if cost is not None]
        if len(known) < len(costs) or usd is None:
            return Ending.AGENT_BUDGET, "a call's price is unknown, so the money limit cannot be kept"
        if sum(known) + sum(self._reserved) + usd > limit:
            return Ending.AGENT_BUDGET, f"${sum(known):.4f} of ${limit:.4f} are used, and the next call may cost ${usd:.4f}"
        return None


def worst(prompt_bytes: int, max_tokens: int) -> Usage:
    """What one call may use at most: its whole prompt written to the cache, and its longest answer."""
    return Usage(cache_write_5m=prompt_bytes // _BYTES_PER_TOKEN + 1, output=max_tokens, calls=1)


def most(price: Price, model: str, prompt_bytes: int, max_tokens: int) -> float | None:
    """US dollars that one call may cost at most."""
    return price(model, worst(prompt_bytes, max_tokens))


def prompt_bytes(request: ModelRequest) -> int:
    """Bytes of a request's prompt, about."""
    parts = [request.system, request.tools, request.messages, request.schema]
    return len(json.dumps(parts, ensure_ascii=False, default=list).encode("utf-8", "replace"))
