"""Headers never promise more than there is, nor sooner."""

import pytest

from throttle import Decision, ManualClock, TokenBucket
from throttle.headers import rate_headers


def retry_after(wait):
    """Return the Retry-After header of a refusal."""
    return rate_headers(Decision(allowed=False, remaining=0, retry_after=wait), limit=10)["Retry-After"]


@pytest.mark.parametrize(("wait", "header"), [(1.25, "2"), (59.01, "60"), (2.5, "3"), (120.4, "121")])
def test_part_of_a_second_is_rounded_up(wait, header):
    assert retry_after(wait) == header


@pytest.mark.parametrize("wait", [0.3, 0.001, 1e-5, 1e-7, 1e-12])
def test_short_wait_is_never_zero(wait):
    assert retry_after(wait) == "1"


def test_refusal_without_a_wait_is_never_zero():
    assert retry_after(0.0) == "1"


@pytest.mark.parametrize(("wait", "header"), [(2.0000000004, "2"), (3600.0000005, "3600"), (1.0000001, "1")])
def test_less_than_a_microsecond_is_noise(wait, header):
    assert retry_after(wait) == header


def test_more_than_a_microsecond_counts():
    assert retry_after(2.00001) == "3"


@pytest.mark.parametrize(("remaining", "header"), [(2.7, "2"), (0.99, "0"), (3.5, "3")])
def test_remaining_is_rounded_down(remaining, header):
    decision = Decision(allowed=True, remaining=remaining)
    assert rate_headers(decision, limit=10)["RateLimit-Remaining"] == header


def test_limit_is_rounded_down():
    assert rate_headers(Decision(allowed=True, remaining=1), limit=2.75)["RateLimit-Limit"] == "2"


def test_client_that_obeys_is_granted():
    clock = ManualClock()
    bucket = TokenBucket(capacity=4, rate=0.75, clock=clock)
    bucket.acquire(4)
    clock.advance(int(rate_headers(bucket.acquire(1), limit=4)["Retry-After"]))
    assert bucket.acquire(1).allowed


@pytest.mark.parametrize("wait", [1, 30, 3600])
def test_whole_seconds_stay(wait):
    assert retry_after(wait) == str(wait)


def test_grant_has_no_wait():
    headers = rate_headers(Decision(allowed=True, remaining=3), limit=10)
    assert headers == {"RateLimit-Limit": "10", "RateLimit-Remaining": "3"}
