"""Several limits at once are charged all together or not at all."""

import pytest

from throttle import AllOf, ManualClock, Quota, SlidingWindow, TokenBucket
from throttle.errors import CostTooHighError, InvalidCostError


@pytest.fixture
def clock():
    """Return a clock that stands at zero."""
    return ManualClock()


def test_refusal_leaves_earlier_limiters_alone(clock):
    bucket = TokenBucket(capacity=5, rate=1, clock=clock)
    daily = Quota(limit=1, period=1000, clock=clock)
    both = AllOf(bucket, daily)
    assert both.acquire().allowed
    for _ in range(10):
        assert not both.acquire().allowed
    assert bucket.peek().remaining == 3


def test_refusal_in_the_middle_leaves_all_alone(clock):
    buckets = [TokenBucket(capacity=size, rate=1, clock=clock) for size in (4, 3, 5)]
    buckets[1].acquire(2)
    assert not AllOf(*buckets).acquire(2).allowed
    assert [bucket.peek().remaining for bucket in buckets] == [3, 0, 4]


def test_error_of_a_later_limiter_charges_nothing(clock):
    bucket = TokenBucket(capacity=5, rate=1, clock=clock)
    both = AllOf(bucket, SlidingWindow(limit=2, window=60, clock=clock))
    with pytest.raises(CostTooHighError):
        both.acquire(3)
    assert bucket.peek(5).allowed


def test_error_comes_even_after_a_refusal(clock):
    bucket = TokenBucket(capacity=5, rate=1, clock=clock)
    bucket.acquire(5)
    both = AllOf(bucket, SlidingWindow(limit=2, window=60, clock=clock))
    with pytest.raises(CostTooHighError):
        both.acquire(3)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_wait_is_the_longest_whatever_the_order(clock, order):
    limiters = [
        TokenBucket(capacity=2, rate=0.5, clock=clock),
        Quota(limit=2, period=100, clock=clock),
        SlidingWindow(limit=2, window=30, clock=clock),
    ]
    for limiter in limiters:
        limiter.acquire(2)
    every = AllOf(*(limiters[place] for place in order))
    assert every.acquire().retry_after == 100
    assert every.peek().retry_after == 100


def test_limiter_that_would_grant_adds_no_wait(clock):
    bucket = TokenBucket(capacity=2, rate=0.5, clock=clock)
    bucket.acquire(2)
    every = AllOf(Quota(limit=9, period=100, clock=clock), bucket)
    assert every.acquire().retry_after == 2


@pytest.mark.parametrize("turned", [False, True])
def test_remaining_of_a_refusal_is_the_least_of_all(clock, turned):
    tight = TokenBucket(capacity=5, rate=1, clock=clock)
    tight.acquire(2)
    empty = SlidingWindow(limit=5, window=60, clock=clock)
    empty.acquire(3)
    pair = (empty, tight) if turned else (tight, empty)
    assert AllOf(*pair).acquire(3).remaining == 0


def test_inner_refusal_leaves_the_outer_alone(clock):
    outer = TokenBucket(capacity=5, rate=1, clock=clock)
    first = TokenBucket(capacity=5, rate=1, clock=clock)
    last = Quota(limit=1, period=1000, clock=clock)
    every = AllOf(outer, AllOf(first, last))
    every.acquire()
    decision = every.acquire()
    assert (decision.allowed, decision.retry_after) == (False, 1000)
    assert [outer.peek().remaining, first.peek().remaining] == [3, 3]


def test_waiting_as_told_is_enough(clock):
    every = AllOf(
        TokenBucket(capacity=4, rate=1, clock=clock),
        SlidingWindow(limit=4, window=30, clock=clock),
    )
    every.acquire(4)
    clock.advance(every.acquire(4).retry_after)
    assert every.acquire(4).allowed


@pytest.mark.parametrize("cost", [1, 2, 3])
def test_acquire_answers_what_peek_answered(clock, cost):
    every = AllOf(
        SlidingWindow(limit=6, window=30, clock=clock),
        TokenBucket(capacity=4, rate=1, clock=clock),
    )
    every.acquire(2)
    expected = every.peek(cost)
    assert every.acquire(cost) == expected


def test_grant_charges_every_limiter(clock):
    bucket = TokenBucket(capacity=5, rate=1, clock=clock)
    window = SlidingWindow(limit=4, window=60, clock=clock)
    decision = AllOf(bucket, window).acquire(3)
    assert (decision.allowed, decision.remaining, decision.retry_after) == (True, 1, 0)
    assert [bucket.peek().remaining, window.peek().remaining] == [1, 0]


def test_peek_charges_nothing(clock):
    bucket = TokenBucket(capacity=5, rate=1, clock=clock)
    both = AllOf(bucket, SlidingWindow(limit=4, window=60, clock=clock))
    both.peek(2)
    assert bucket.peek(5).allowed


def test_cost_must_be_positive(clock):
    with pytest.raises(InvalidCostError):
        AllOf(TokenBucket(capacity=5, rate=1, clock=clock)).acquire(0)
