"""Tests of throttle.headers."""

from throttle import Decision
from throttle.headers import rate_headers


def test_granted_call_is_told_what_remains() -> None:
    """A grant carries the limit and the rest, and no wait."""
    headers = rate_headers(Decision(allowed=True, remaining=7), limit=10)
    assert headers == {"RateLimit-Limit": "10", "RateLimit-Remaining": "7"}


def test_refused_call_is_told_when_to_come_back() -> None:
    """A refusal carries the wait in seconds."""
    refusal = Decision(allowed=False, remaining=0, retry_after=30)
    assert rate_headers(refusal, limit=10)["Retry-After"] == "30"


def test_part_of_a_second_counts_as_a_whole_one() -> None:
    """A client that waits as told does not come back too early."""
    refusal = Decision(allowed=False, remaining=0, retry_after=1.25)
    assert rate_headers(refusal, limit=10)["Retry-After"] == "2"
