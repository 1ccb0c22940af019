"""Unused quota passes into the next period, up to a cap."""

import pytest

from throttle import ManualClock, Quota
from throttle.errors import CostTooHighError, InvalidLimitError


def quota_of(rollover, *, limit=10, start=0.0, anchor=0.0):
    """Return a clock and a quota with periods of sixty seconds."""
    clock = ManualClock(start)
    return clock, Quota(limit=limit, period=60, clock=clock, anchor=anchor, rollover=rollover)


def left(quota):
    """Return what the quota would still grant."""
    decision = quota.peek(1)
    return decision.remaining + decision.allowed


@pytest.mark.parametrize(("used", "expected"), [(2, 15), (5, 15), (6, 14), (10, 10)])
def test_unused_part_passes_up_to_the_cap(used, expected):
    clock, quota = quota_of(5)
    quota.acquire(used)
    clock.advance(60)
    assert left(quota) == expected


def test_inherited_units_pass_on_as_well():
    clock, quota = quota_of(25)
    quota.acquire(4)
    clock.advance(60)
    assert left(quota) == 16
    quota.acquire(3)
    clock.advance(60)
    assert left(quota) == 23


@pytest.mark.parametrize(("periods", "expected"), [(1, 10), (2, 20), (3, 30), (4, 35), (5, 35), (10**12, 35)])
def test_idle_periods_add_up_to_the_cap(periods, expected):
    clock, quota = quota_of(25)
    quota.acquire(10)
    clock.advance(60 * periods)
    assert left(quota) == expected


def test_asking_in_between_makes_no_difference():
    clock, quota = quota_of(25)
    quota.acquire(10)
    seen = []
    for _ in range(5):
        clock.advance(60)
        seen.append(left(quota))
    assert seen == [10, 20, 30, 35, 35]


def test_largest_cost_is_limit_plus_cap():
    clock, quota = quota_of(5)
    clock.advance(60)
    assert quota.peek(15).allowed
    with pytest.raises(CostTooHighError):
        quota.peek(15.5)


@pytest.mark.parametrize(
    ("cost", "wait"),
    [(1, 60), (10, 60), (10.5, 120), (20, 120), (25, 180), (30, 180), (31, 240), (35, 240)],
)
def test_wait_covers_as_many_periods_as_it_takes(cost, wait):
    _, quota = quota_of(25)
    quota.acquire(10)
    assert quota.acquire(cost).retry_after == wait


@pytest.mark.parametrize(("cost", "wait"), [(11, 45), (14, 45), (15, 105), (25, 165)])
def test_wait_counts_what_is_left_and_the_time_of_day(cost, wait):
    clock, quota = quota_of(25)
    quota.acquire(6)
    clock.advance(15)
    assert quota.peek(cost).retry_after == wait


def test_waiting_as_told_is_enough():
    clock, quota = quota_of(25, start=1000, anchor=7)
    quota.acquire(9)
    wait = quota.acquire(28).retry_after
    clock.advance(wait - 0.5)
    assert not quota.peek(28).allowed
    clock.advance(0.5)
    assert quota.acquire(28).allowed


def test_refund_is_bounded_by_what_the_period_started_with():
    clock, quota = quota_of(5)
    clock.advance(60)
    quota.acquire(8)
    quota.refund(6)
    assert left(quota) == 13
    quota.refund(10)
    assert left(quota) == 15


def test_negative_cap_is_refused():
    with pytest.raises(InvalidLimitError):
        quota_of(-0.5)


def test_without_a_cap_nothing_passes_on():
    clock = ManualClock()
    quota = Quota(limit=10, period=60, clock=clock)
    quota.acquire(2)
    clock.advance(60)
    assert left(quota) == 10
    clock.advance(600)
    assert left(quota) == 10


def test_without_a_cap_the_limit_is_the_largest_cost():
    quota = Quota(limit=10, period=60, clock=ManualClock())
    with pytest.raises(CostTooHighError):
        quota.acquire(11)


def test_without_a_cap_the_wait_ends_with_the_period():
    quota = Quota(limit=10, period=60, clock=ManualClock(70), anchor=5)
    quota.acquire(9)
    assert quota.acquire(10).retry_after == 55
