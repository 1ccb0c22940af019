"""A keyed limiter with a bound forgets the key whose last acquire is longest ago."""

import pytest

from throttle import KeyedLimiter, ManualClock, TokenBucket
from throttle.errors import CostTooHighError, InvalidLimitError


def make_bucket():
    """Return a bucket of two tokens whose clock stands still."""
    return TokenBucket(capacity=2, rate=1, clock=ManualClock())


def remembered(limits, keys):
    """Return those of ``keys``, one letter each, that are remembered."""
    return "".join(key for key in keys if key in limits)


def limits_after(keys, max_keys=None):
    """Return a keyed limiter after one acquire for each letter of ``keys``."""
    limits = KeyedLimiter(make_bucket) if max_keys is None else KeyedLimiter(make_bucket, max_keys=max_keys)
    for key in keys:
        limits.acquire(key)
    return limits


def test_first_key_goes_when_there_is_no_room():
    assert remembered(limits_after("abcd", 3), "abcd") == "bcd"


def test_bound_is_never_exceeded():
    limits = limits_after("abcdefgh" * 3, 3)
    assert len(limits) == 3


def test_acquired_again_is_kept_longer():
    assert remembered(limits_after("abcad", 3), "abcd") == "acd"


def test_refused_acquire_counts_as_use():
    limits = limits_after("aab", 2)
    assert not limits.acquire("a").allowed
    limits.acquire("c")
    assert remembered(limits, "abc") == "ac"


def test_peek_and_contains_do_not_count_as_use():
    limits = limits_after("ab", 2)
    assert limits.peek("a").allowed
    assert "a" in limits
    limits.acquire("c")
    assert remembered(limits, "abc") == "bc"


def test_peek_at_a_stranger_forgets_nobody():
    limits = limits_after("ab", 2)
    limits.peek("c")
    assert remembered(limits, "abc") == "ab"


def test_remembered_key_forgets_nobody():
    limits = limits_after("abba", 2)
    assert remembered(limits, "ab") == "ab"
    assert not limits.acquire("a").allowed


def test_forgotten_key_starts_afresh():
    limits = limits_after("aab", 1)
    assert limits.acquire("a").remaining == 1


def test_acquire_that_raises_changes_nothing():
    limits = limits_after("ab", 2)
    for key in ("a", "c"):
        with pytest.raises(CostTooHighError):
            limits.acquire(key, 3)
    assert remembered(limits, "abc") == "ab"
    limits.acquire("d")
    assert remembered(limits, "abd") == "bd"


def test_forget_makes_room():
    limits = limits_after("ab", 2)
    limits.forget("b")
    limits.acquire("c")
    assert remembered(limits, "abc") == "ac"


def test_one_key_is_enough():
    assert remembered(limits_after("abc", 1), "abc") == "c"


@pytest.mark.parametrize("bound", [0, -1])
def test_bound_must_be_positive(bound):
    with pytest.raises(InvalidLimitError):
        KeyedLimiter(make_bucket, max_keys=bound)


def test_no_bound_forgets_nobody():
    assert len(limits_after("abcdefghijklmnopqrstuvwxyz")) == 26


def test_keys_keep_their_own_limits_without_a_bound():
    limits = limits_after("aab")
    assert not limits.acquire("a").allowed
    assert limits.acquire("b").allowed


def test_acquire_that_raises_remembers_no_stranger():
    limits = limits_after("a")
    with pytest.raises(CostTooHighError):
        limits.acquire("b", 3)
    assert remembered(limits, "ab") == "a"
