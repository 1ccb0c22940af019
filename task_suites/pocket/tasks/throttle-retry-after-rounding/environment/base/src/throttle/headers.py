"""Decisions as HTTP response headers."""

from throttle.decision import Decision


def rate_headers(decision: Decision, limit: float) -> dict[str, str]:
    """Return the headers that tell a client where it stands.

    ``RateLimit-Limit`` and ``RateLimit-Remaining`` are whole units. ``Retry-After``,
    only on a refusal, is in whole seconds.
    """
    headers = {
        "RateLimit-Limit": str(round(limit)),
        "RateLimit-Remaining": str(round(decision.remaining)),
    }
    if not decision.allowed:
        headers["Retry-After"] = str(round(decision.retry_after))
    return headers
