"""Units that were acquired in vain can be given back."""

import pytest

from throttle import AllOf, KeyedLimiter, ManualClock, Quota, SlidingWindow, TokenBucket
from throttle.errors import CostTooHighError, InvalidCostError


@pytest.fixture
def clock():
    """Return a clock that stands at zero."""
    return ManualClock()


def limiters(clock):
    """Return one limiter of each kind that grants five units."""
    return [
        TokenBucket(capacity=5, rate=1, clock=clock),
        SlidingWindow(limit=5, window=10, clock=clock),
        Quota(limit=5, period=10, clock=clock),
        AllOf(SlidingWindow(limit=5, window=10, clock=clock)),
    ]


def test_every_limiter_gets_units_back(clock):
    for limiter in limiters(clock):
        limiter.acquire(4)
        limiter.refund(3)
        assert limiter.peek(4).remaining == 0


def test_one_unit_is_the_default(clock):
    for limiter in limiters(clock):
        limiter.acquire(2)
        limiter.refund()
        assert limiter.peek(1).remaining == 3


def test_nobody_gains_by_a_refund(clock):
    for limiter in limiters(clock):
        limiter.acquire(1)
        limiter.refund(5)
        assert limiter.peek(5).remaining == 0


def test_bad_cost_raises_and_changes_nothing(clock):
    for limiter in limiters(clock):
        limiter.acquire(2)
        for cost in (0, -1):
            with pytest.raises(InvalidCostError):
                limiter.refund(cost)
        with pytest.raises(CostTooHighError):
            limiter.refund(5.5)
        assert limiter.peek(1).remaining == 2


def test_bucket_earns_up_to_its_capacity_before_and_after(clock):
    bucket = TokenBucket(capacity=5, rate=1, clock=clock)
    bucket.acquire(5)
    clock.advance(3)
    bucket.refund(4)
    assert bucket.peek(5).allowed
    bucket.acquire(5)
    clock.advance(1)
    assert bucket.peek(1).remaining == 0


def test_window_refunds_its_newest_charges_first(clock):
    window = SlidingWindow(limit=5, window=10, clock=clock)
    window.acquire(2)
    clock.advance(4)
    window.acquire(3)
    window.refund(2)
    assert window.acquire(2).allowed
    clock.advance(6)
    assert window.peek(1).remaining == 1


def test_window_refund_reaches_into_older_charges(clock):
    window = SlidingWindow(limit=5, window=10, clock=clock)
    window.acquire(3)
    clock.advance(4)
    window.acquire(2)
    window.refund(4)
    assert window.peek(4).remaining == 0
    assert window.peek(5).retry_after == 6


def test_window_keeps_the_time_of_a_reduced_charge(clock):
    window = SlidingWindow(limit=5, window=10, clock=clock)
    window.acquire(5)
    clock.advance(7)
    window.refund(2)
    assert window.peek(4).retry_after == 3


def test_expired_charges_play_no_part(clock):
    window = SlidingWindow(limit=5, window=10, clock=clock)
    window.acquire(5)
    clock.advance(10)
    window.refund(5)
    assert window.acquire(5).remaining == 0
    assert not window.peek(1).allowed


def test_quota_refunds_the_present_period_only(clock):
    quota = Quota(limit=5, period=10, clock=clock)
    quota.acquire(5)
    clock.advance(10)
    quota.refund(5)
    assert quota.peek(5).remaining == 0
    quota.acquire(2)
    quota.refund(1)
    assert quota.peek(4).remaining == 0


def test_quota_refunds_inherited_units(clock):
    quota = Quota(limit=5, period=10, clock=clock, rollover=3)
    clock.advance(10)
    quota.acquire(7)
    quota.refund(6)
    assert quota.peek(7).remaining == 0


def test_all_of_refunds_each_limiter(clock):
    bucket = TokenBucket(capacity=5, rate=1, clock=clock)
    window = SlidingWindow(limit=5, window=10, clock=clock)
    both = AllOf(bucket, window)
    both.acquire(4)
    both.refund(2)
    assert [bucket.peek().remaining, window.peek().remaining] == [2, 2]


def test_keyed_refund_goes_to_its_key(clock):
    limits = KeyedLimiter(lambda: TokenBucket(capacity=5, rate=1, clock=clock))
    limits.acquire("alice", 5)
    limits.acquire("bob", 5)
    limits.refund("alice", 2)
    assert limits.peek("alice", 2).allowed
    assert not limits.peek("bob").allowed


def test_keyed_refund_remembers_no_stranger(clock):
    limits = KeyedLimiter(lambda: TokenBucket(capacity=5, rate=1, clock=clock))
    limits.refund("alice", 2)
    assert "alice" not in limits


def test_bucket_still_earns_without_refunds(clock):
    bucket = TokenBucket(capacity=5, rate=1, clock=clock)
    bucket.acquire(5)
    clock.advance(2)
    assert bucket.acquire(2).remaining == 0


def test_window_still_frees_whole_charges(clock):
    window = SlidingWindow(limit=5, window=10, clock=clock)
    window.acquire(2)
    clock.advance(4)
    window.acquire(3)
    clock.advance(6)
    assert window.peek(2).remaining == 0
    assert window.peek(3).retry_after == 4


def test_quota_still_starts_afresh(clock):
    quota = Quota(limit=5, period=10, clock=clock)
    quota.acquire(5)
    clock.advance(10)
    assert quota.acquire(5).allowed
