"""One limiter per key: per user, per address, per route."""

from collections.abc import Callable, Hashable

from throttle.decision import Decision
from throttle.limiter import Limiter


class KeyedLimiter:
    """Makes a limiter with ``factory`` when a key is acquired for the first time."""

    def __init__(self, factory: Callable[[], Limiter]) -> None:
        """Start without any key."""
        self._factory = factory
        self._limiters: dict[Hashable, Limiter] = {}

    def __len__(self) -> int:
        """Return how many keys are remembered."""
        return len(self._limiters)

    def __contains__(self, key: Hashable) -> bool:
        """Return whether ``key`` is remembered."""
        return key in self._limiters

    def peek(self, key: Hashable, cost: float = 1) -> Decision:
        """Return what ``acquire(key, cost)`` would answer now, remembering nothing."""
        return self._limiter_of(key).peek(cost)

    def acquire(self, key: Hashable, cost: float = 1) -> Decision:
        """Charge ``cost`` to ``key`` if its limiter grants it."""
        limiter = self._limiter_of(key)
        decision = limiter.acquire(cost)
        self._limiters[key] = limiter
        return decision

    def refund(self, key: Hashable, cost: float = 1) -> None:
        """Give ``cost`` back to ``key``; nothing happens if it is not remembered."""
        if key in self._limiters:
            self._limiters[key].refund(cost)

    def forget(self, key: Hashable) -> None:
        """Drop what is known of ``key``, which may be unknown."""
        self._limiters.pop(key, None)

    def _limiter_of(self, key: Hashable) -> Limiter:
        return self._limiters[key] if key in self._limiters else self._factory()
