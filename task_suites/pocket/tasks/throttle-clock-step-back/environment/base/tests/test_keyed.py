"""Tests of throttle.keyed."""

import pytest

from throttle import KeyedLimiter, ManualClock, TokenBucket
from throttle.errors import InvalidLimitError


def make_bucket() -> TokenBucket:
    """Return a bucket of one token whose clock stands still."""
    return TokenBucket(capacity=1, rate=1, clock=ManualClock())


def test_keys_do_not_share_a_limit() -> None:
    """What one key spends does not touch another."""
    limits = KeyedLimiter(make_bucket)
    limits.acquire("alice")
    assert not limits.acquire("alice").allowed
    assert limits.acquire("bob").allowed


def test_peek_does_not_remember_a_key() -> None:
    """Looking at a stranger leaves no trace."""
    limits = KeyedLimiter(make_bucket)
    assert limits.peek("alice").allowed
    assert "alice" not in limits


def test_forgotten_key_starts_afresh() -> None:
    """A key that was dropped gets a new limiter."""
    limits = KeyedLimiter(make_bucket)
    limits.acquire("alice")
    limits.forget("alice")
    assert limits.acquire("alice").allowed


def test_one_key_too_many_pushes_out_the_first() -> None:
    """With room for two, the third key takes the place of the first."""
    limits = KeyedLimiter(make_bucket, max_keys=2)
    for key in ("alice", "bob", "carol"):
        limits.acquire(key)
    assert [key in limits for key in ("alice", "bob", "carol")] == [False, True, True]


def test_max_keys_must_be_positive() -> None:
    """A limiter that could remember nobody cannot be made."""
    with pytest.raises(InvalidLimitError):
        KeyedLimiter(make_bucket, max_keys=0)


def test_refund_goes_to_its_key() -> None:
    """Only the refunded key can acquire again."""
    limits = KeyedLimiter(make_bucket)
    limits.acquire("alice")
    limits.acquire("bob")
    limits.refund("alice")
    assert limits.acquire("alice").allowed
    assert not limits.acquire("bob").allowed
