"""Tests of throttle.bucket."""

import pytest

from throttle import ManualClock, Rate, TokenBucket
from throttle.errors import CostTooHighError, InvalidCostError, InvalidLimitError


def test_full_bucket_allows_a_burst_up_to_its_capacity() -> None:
    """A new bucket grants its whole capacity at once, and then nothing."""
    bucket = TokenBucket(capacity=3, rate=1, clock=ManualClock())
    assert [bool(bucket.acquire()) for _ in range(4)] == [True, True, True, False]


def test_tokens_come_back_at_the_rate() -> None:
    """Half a second at two tokens a second earns one token."""
    clock = ManualClock()
    bucket = TokenBucket(capacity=2, rate=2, clock=clock)
    bucket.acquire(2)
    clock.advance(0.5)
    assert bucket.acquire().allowed
    assert not bucket.acquire().allowed


def test_bucket_never_holds_more_than_its_capacity() -> None:
    """A long rest does not add up beyond the capacity."""
    clock = ManualClock()
    bucket = TokenBucket(capacity=2, rate=1, clock=clock)
    clock.advance(1000)
    assert bucket.peek().remaining == 1


def test_refusal_tells_how_long_to_wait() -> None:
    """The wait is the time in which the missing tokens are earned."""
    bucket = TokenBucket(capacity=4, rate=2, clock=ManualClock())
    bucket.acquire(4)
    assert bucket.acquire(3).retry_after == 1.5


def test_step_back_of_the_clock_takes_no_tokens_away() -> None:
    """A full bucket stays full when its clock is set back."""
    clock = ManualClock(100)
    bucket = TokenBucket(capacity=5, rate=1, clock=clock)
    clock.advance(-30)
    assert bucket.acquire(5).allowed


def test_refund_puts_tokens_back() -> None:
    """Refunded tokens can be acquired again."""
    bucket = TokenBucket(capacity=5, rate=1, clock=ManualClock())
    bucket.acquire(5)
    bucket.refund(2)
    assert bucket.acquire(2).allowed


def test_from_rate_holds_one_period() -> None:
    """The capacity is the rate's count, and it refills within the rate's period."""
    bucket = TokenBucket.from_rate(Rate(30, 60), clock=ManualClock())
    assert (bucket.capacity, bucket.rate) == (30, 0.5)


@pytest.mark.parametrize("cost", [0, -1])
def test_cost_must_be_positive(cost: float) -> None:
    """A cost of nothing or less is an error, not a grant."""
    bucket = TokenBucket(capacity=1, rate=1, clock=ManualClock())
    with pytest.raises(InvalidCostError):
        bucket.acquire(cost)


def test_cost_above_the_capacity_is_an_error() -> None:
    """A cost that never fits raises instead of naming a wait."""
    bucket = TokenBucket(capacity=1, rate=1, clock=ManualClock())
    with pytest.raises(CostTooHighError):
        bucket.acquire(2)


def test_capacity_and_rate_must_be_positive() -> None:
    """A bucket that could grant nothing cannot be made."""
    with pytest.raises(InvalidLimitError):
        TokenBucket(capacity=0, rate=1, clock=ManualClock())
    with pytest.raises(InvalidLimitError):
        TokenBucket(capacity=1, rate=0, clock=ManualClock())
