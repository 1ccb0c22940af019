"""Decisions as HTTP response headers."""

import math

from throttle.decision import Decision

# Waits are sums and quotients of floats: less than this beyond a whole second is noise.
_NOISE = 1e-6


def rate_headers(decision: Decision, limit: float) -> dict[str, str]:
    """Return the headers that tell a client where it stands.

    ``RateLimit-Limit`` and ``RateLimit-Remaining`` are whole units and never promise
    more than there is. ``Retry-After``, only on a refusal, is in whole seconds and
    never too short.
    """
    headers = {
        "RateLimit-Limit": str(math.floor(limit)),
        "RateLimit-Remaining": str(math.floor(decision.remaining)),
    }
    if not decision.allowed:
        headers["Retry-After"] = str(_whole_seconds(decision.retry_after))
    return headers


def _whole_seconds(wait: float) -> int:
    # A refused client that reads 0 would come straight back.
    return max(1, math.ceil(wait - _NOISE))
