"""Tests of throttle.compound."""

import pytest

from throttle import AllOf, ManualClock, SlidingWindow, TokenBucket
from throttle.errors import InvalidLimitError


def test_all_must_grant() -> None:
    """The tighter limit decides."""
    clock = ManualClock()
    both = AllOf(
        TokenBucket(capacity=5, rate=1, clock=clock),
        SlidingWindow(limit=2, window=60, clock=clock),
    )
    assert [bool(both.acquire()) for _ in range(3)] == [True, True, False]


def test_refund_reaches_every_limiter() -> None:
    """A refund undoes the charge in all limiters."""
    clock = ManualClock()
    bucket = TokenBucket(capacity=2, rate=1, clock=clock)
    window = SlidingWindow(limit=2, window=60, clock=clock)
    both = AllOf(bucket, window)
    both.acquire(2)
    both.refund(2)
    assert both.acquire(2).allowed


def test_needs_a_limiter() -> None:
    """An empty set of limits is a mistake, not a free pass."""
    with pytest.raises(InvalidLimitError):
        AllOf()
