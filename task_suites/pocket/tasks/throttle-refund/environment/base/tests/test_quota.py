"""Tests of throttle.quota."""

import pytest

from throttle import ManualClock, Quota
from throttle.errors import CostTooHighError, InvalidLimitError


def test_allowance_starts_afresh_with_each_period() -> None:
    """What was used in one period does not count in the next."""
    clock = ManualClock()
    quota = Quota(limit=2, period=10, clock=clock)
    quota.acquire(2)
    assert not quota.acquire().allowed
    clock.advance(10)
    assert quota.acquire(2).allowed


def test_wait_lasts_until_the_next_period() -> None:
    """A refused cost is told when the next period starts."""
    quota = Quota(limit=1, period=10, clock=ManualClock(47))
    quota.acquire()
    assert quota.acquire().retry_after == 3


def test_periods_are_aligned_to_the_anchor() -> None:
    """An anchor shifts the moments at which periods start."""
    quota = Quota(limit=1, period=10, clock=ManualClock(47), anchor=5)
    quota.acquire()
    assert quota.acquire().retry_after == 8


def test_unused_units_roll_over_up_to_the_cap() -> None:
    """Of eight unused units a rollover of five carries five."""
    clock = ManualClock()
    quota = Quota(limit=10, period=60, clock=clock, rollover=5)
    quota.acquire(2)
    clock.advance(60)
    assert quota.peek().remaining == 14


def test_rollover_must_not_be_negative() -> None:
    """A quota cannot carry less than nothing."""
    with pytest.raises(InvalidLimitError):
        Quota(limit=1, period=1, clock=ManualClock(), rollover=-1)


def test_cost_above_the_limit_is_an_error() -> None:
    """A cost that no period can grant raises instead of naming a wait."""
    quota = Quota(limit=3, period=10, clock=ManualClock())
    with pytest.raises(CostTooHighError):
        quota.peek(4)
