"""The answer of a limiter."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """Whether a cost is granted; truthy when it is.

    ``remaining`` is what is left to spend at this moment, after the charge if it was
    granted. ``retry_after`` is the wait in seconds, zero for a granted cost.
    """

    allowed: bool
    remaining: float
    retry_after: float = 0.0

    def __bool__(self) -> bool:
        """Return ``allowed``, so that ``if limiter.acquire():`` reads well."""
        return self.allowed
