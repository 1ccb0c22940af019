"""Budget: what a run may spend, money and hours. Checked before each trial, booked after each; never asked in between.

What the end of a night needs is kept back while it goes on, so that a limit does not take the vault test with it.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from harness.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable


class BudgetSpentError(Exception):
    """A limit of this run is reached: what is left is not run, and is resumed by the same command."""


class Budget:
    """Money and time of one run. Thread-safe.

    Args:
        max_usd: US dollars, or None for no limit.
        max_hours: hours from now, or None.
        clock: seconds from any origin, monotonic.
    """

    def __init__(self, *, max_usd: float | None, max_hours: float | None, clock: Callable[[], float]) -> None:
        self._max_usd = max_usd
        self._clock = clock
        self._began = clock()
        self._until = None if max_hours is None else self._began + max_hours * 3600
        self._spent = 0.0
        self._reserved = 0.0
        self._most_reserved = 0.0
        self._booked = 0
        self._kept = 0
        self._lock = threading.Lock()

    @property
    def spent(self) -> float:
        """US dollars booked so far."""
        return self._spent

    def keep_back(self, trials: int) -> None:
        """Keep back from now on what so many trials come to, by the mean of those booked so far; 0 gives it free."""
        with self._lock:
            self._kept = trials

    def reserve(self, usd: float) -> None:
        """Set aside what a trial is expected to cost.

        Raises:
            BudgetSpentError: if money or time would be passed, or what is kept back be touched.
        """
        with self._lock:
            kept_usd, kept_seconds = self._kept_back()
            if self._until is not None and self._clock() + kept_seconds >= self._until:
                raise BudgetSpentError("the hours of this run are used up" + self._for_the_end())
            if self._max_usd is not None and self._spent + self._reserved + usd + kept_usd > self._max_usd:
                raise BudgetSpentError(
                    f"${self._spent:.2f} of ${self._max_usd:.2f} are spent, and the next trial may cost ${usd:.2f}"
                    + self._for_the_end()
                )
            self._reserved += usd
            self._most_reserved = max(self._most_reserved, self._reserved)

    def _kept_back(self) -> tuple[float, float]:
        """US dollars and seconds. Trials side by side each reserve more than they cost, so that much is needed on top."""
        if not self._kept or not self._booked:
            return 0.0, 0.0
        share = self._kept / self._booked
        return self._spent * share + self._most_reserved, (self._clock() - self._began) * share

    def _for_the_end(self) -> str:
        return f", but for {self._kept} trials at the night's end" if self._kept else ""

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
            self._booked += 1
