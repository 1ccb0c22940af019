"""Budget: what a run may spend, money and hours. Checked before each trial, booked after each; never asked in between."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from harness.errors import ConfigError
from harness.ports import TrialEndedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from harness.ports import Model, ModelReply, ModelRequest


class BudgetSpentError(Exception):
    """A limit of this run is reached: what is left is not run, and is resumed by the same command."""


class Budget:
    """Money and time of one run. Thread-safe.

    Args:
        max_usd: US dollars, or None for no limit.
        max_hours: hours from now, or None.
        clock: seconds from any origin, monotonic.
        part: a budget of a part of this run, which must have something left too; it is booked by who spends it.
        name: whose money it is, for messages.
    """

    def __init__(
        self,
        *,
        max_usd: float | None,
        max_hours: float | None,
        clock: Callable[[], float],
        part: Budget | None = None,
        name: str = "",
    ) -> None:
        self._part = part
        self._name = name
        self._max_usd = max_usd
        self._clock = clock
        self._until = None if max_hours is None else clock() + max_hours * 3600
        self._spent = 0.0
        self._reserved = 0.0
        self._lock = threading.Lock()

    @property
    def spent(self) -> float:
        """US dollars booked so far."""
        return self._spent

    def reserve(self, usd: float) -> None:
        """Set aside what a trial is expected to cost.

        Raises:
            BudgetSpentError: if money or time would be passed.
        """
        if self._part:
            self._part.reserve(0.0)
        with self._lock:
            if self._max_usd is not None and self._spent >= self._max_usd:
                whose = f" for {self._name}" if self._name else ""
                raise BudgetSpentError(f"${self._spent:.2f} of ${self._max_usd:.2f}{whose} are spent")
            if self._until is not None and self._clock() >= self._until:
                raise BudgetSpentError("the hours of this run are used up")
            if self._max_usd is not None and self._spent + self._reserved + usd > self._max_usd:
                raise BudgetSpentError(
                    f"${self._spent:.2f} of ${self._max_usd:.2f} are spent, and the next trial may cost ${usd:.2f}"
                )
            self._reserved += usd

    def book(self, reserved: float, actual: float | None) -> None:
        """Replace a reservation by what it did cost.

        Raises:
            ConfigError: if the cost is unknown while money is limited, since the limit could then not be kept.
        """
        with self._lock:
            self._reserved -= reserved
            if actual is None and self._max_usd is not None:
                raise ConfigError("a model's price is unknown, so a limit in dollars cannot be kept; add it to prices.toml")
            self._spent += actual or 0.0


class Metered:
    """A model whose calls are booked into a budget as they come, also those that no answer came of."""

    def __init__(self, model: Model, budget: Budget) -> None:
        self._model = model
        self._budget = budget

    def send(self, request: ModelRequest) -> ModelReply:
        """The model's answer. Raises as the model does."""
        try:
            reply = self._model.send(request)
        except TrialEndedError as error:
            for call in error.calls:
                self._budget.book(0.0, call.cost_usd)
            raise
        self._budget.book(0.0, reply.call.cost_usd)
        return reply
