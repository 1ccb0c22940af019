"""A token bucket keeps its tokens when its clock is set back, and pays for no second twice."""

import pytest

from throttle import ManualClock, TokenBucket


def bucket_at(clock: ManualClock, tokens: float) -> TokenBucket:
    """Return a bucket of five tokens, earning one a second, that holds ``tokens`` of them."""
    bucket = TokenBucket(capacity=5, rate=1, clock=clock)
    if tokens < 5:
        bucket.acquire(5 - tokens)
    return bucket


@pytest.mark.parametrize("step", [-0.5, -5, -1000])
def test_full_bucket_stays_full(step):
    clock = ManualClock(100)
    bucket = bucket_at(clock, 5)
    clock.advance(step)
    assert bucket.acquire(5).allowed


def test_part_full_bucket_keeps_what_it_holds():
    clock = ManualClock(100)
    bucket = bucket_at(clock, 2)
    clock.advance(-60)
    assert bucket.peek(1).remaining == 1
    assert bucket.peek(2).allowed
    assert not bucket.peek(3).allowed


def test_remaining_is_never_negative_after_a_step_back():
    clock = ManualClock(100)
    bucket = bucket_at(clock, 0)
    clock.advance(-30)
    assert bucket.acquire().remaining == 0


def test_nothing_is_earned_behind_the_latest_time():
    clock = ManualClock(100)
    bucket = bucket_at(clock, 0)
    clock.advance(-10)
    bucket.peek()
    clock.advance(9)
    assert bucket.peek().remaining == 0
    clock.advance(1)
    assert bucket.peek().remaining == 0


def test_seconds_run_through_again_are_not_paid_twice():
    clock = ManualClock(100)
    bucket = bucket_at(clock, 0)
    clock.advance(2)
    assert bucket.acquire(2).allowed
    clock.advance(-4)
    assert not bucket.acquire().allowed
    clock.advance(4)
    assert not bucket.acquire().allowed
    clock.advance(1)
    assert bucket.acquire().allowed
    assert not bucket.acquire().allowed


def test_rocking_clock_earns_nothing():
    clock = ManualClock(100)
    bucket = bucket_at(clock, 0)
    for _ in range(20):
        clock.advance(-3)
        bucket.peek()
        clock.advance(3)
        bucket.peek()
    assert bucket.peek().remaining == 0


def test_earning_resumes_past_the_latest_time():
    clock = ManualClock(100)
    bucket = bucket_at(clock, 1)
    clock.advance(-10)
    bucket.peek()
    clock.advance(12)
    assert bucket.peek(3).remaining == 0


def test_acquire_right_after_the_step_is_charged_once():
    clock = ManualClock(100)
    bucket = bucket_at(clock, 5)
    clock.advance(-2)
    assert bucket.acquire(2).remaining == 3
    assert bucket.acquire(1).remaining == 2


def test_forward_clock_earns_as_before():
    clock = ManualClock(100)
    bucket = bucket_at(clock, 0)
    clock.advance(2.5)
    assert bucket.acquire(2).remaining == 0.5
    assert bucket.acquire(1).retry_after == 0.5


def test_standing_clock_earns_nothing():
    clock = ManualClock(100)
    bucket = bucket_at(clock, 3)
    assert bucket.peek(3).remaining == bucket.peek(3).remaining == 0


def test_capacity_still_bounds_a_long_rest():
    clock = ManualClock(100)
    bucket = bucket_at(clock, 0)
    clock.advance(1e9)
    assert bucket.acquire(5).remaining == 0
