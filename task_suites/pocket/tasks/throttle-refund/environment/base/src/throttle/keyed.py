"""One limiter per key: per user, per address, per route."""

from collections.abc import Callable, Hashable

from throttle.checks import require_positive
from throttle.decision import Decision
from throttle.limiter import Limiter


class KeyedLimiter:
    """Makes a limiter with ``factory`` when a key is acquired for the first time.

    With ``max_keys`` it remembers that many keys at most: acquiring one more forgets
    the key that was acquired, granted or not, longest ago; it then starts afresh.
    """

    def __init__(
        self, factory: Callable[[], Limiter], *, max_keys: int | None = None
    ) -> None:
        """Start without any key."""
        if max_keys is not None:
            require_positive("max_keys", max_keys)
        self._factory = factory
        self._max_keys = max_keys
        # in the order in which they were last acquired, longest ago first
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
        self._remember(key, limiter)
        return decision

    def forget(self, key: Hashable) -> None:
        """Drop what is known of ``key``, which may be unknown."""
        self._limiters.pop(key, None)

    def _limiter_of(self, key: Hashable) -> Limiter:
        return self._limiters[key] if key in self._limiters else self._factory()

    def _remember(self, key: Hashable, limiter: Limiter) -> None:
        self._limiters.pop(key, None)
        self._limiters[key] = limiter
        if self._max_keys is not None and len(self._limiters) > self._max_keys:
            del self._limiters[next(iter(self._limiters))]
