"""The wait that a sliding window tells is long enough for the cost, and no longer."""

import pytest

from throttle import ManualClock, SlidingWindow


def window_with(charges, limit, at):
    """Return a clock at ``at`` and a ten second window holding ``charges`` of (moment, cost)."""
    clock = ManualClock()
    window = SlidingWindow(limit=limit, window=10, clock=clock)
    for moment, cost in charges:
        clock.now = moment
        assert window.acquire(cost).allowed
    clock.now = at
    return clock, window


@pytest.mark.parametrize(
    ("cost", "wait"),
    [(1, 3), (2, 3), (3, 6), (4, 9), (5, 9)],
)
def test_wait_depends_on_what_each_charge_frees(cost, wait):
    _, window = window_with([(0, 2), (3, 1), (6, 2)], limit=5, at=7)
    assert window.peek(cost).retry_after == wait


@pytest.mark.parametrize(("cost", "wait"), [(2, 4), (3, 4), (4, 9), (5, 9)])
def test_room_that_is_there_already_counts(cost, wait):
    _, window = window_with([(0, 2), (5, 2)], limit=5, at=6)
    assert window.peek(cost).retry_after == wait


def test_single_charges_are_waited_for_one_by_one():
    _, window = window_with([(0, 1), (1, 1), (2, 1)], limit=3, at=4)
    assert [window.peek(cost).retry_after for cost in (1, 2, 3)] == [6, 7, 8]


def test_costs_below_one_are_added_up():
    _, window = window_with([(0, 0.25), (1, 0.25), (2, 0.5)], limit=1, at=4)
    assert window.peek(0.5).retry_after == 7
    assert window.peek(0.75).retry_after == 8


def test_acquire_tells_what_peek_tells():
    _, window = window_with([(0, 1), (4, 1)], limit=2, at=4)
    assert window.acquire(2) == window.peek(2)
    assert window.acquire(2).retry_after == 10
    assert window.peek(2).remaining == 0


def test_waiting_as_told_is_enough_and_not_too_long():
    clock, window = window_with([(0, 1), (2, 3), (5, 2)], limit=6, at=6)
    wait = window.acquire(4).retry_after
    clock.advance(wait - 0.5)
    assert not window.peek(4).allowed
    clock.advance(0.5)
    assert window.acquire(4).allowed


def test_wait_for_one_after_single_charges_is_unchanged():
    _, window = window_with([(0, 1), (4, 1)], limit=2, at=4)
    assert window.peek().retry_after == 6


def test_large_single_charge_frees_all_it_took():
    _, window = window_with([(1, 5)], limit=5, at=4)
    assert [window.peek(cost).retry_after for cost in (1, 3, 5)] == [7, 7, 7]


def test_granted_cost_has_no_wait():
    _, window = window_with([(0, 1)], limit=3, at=4)
    assert window.acquire(2).retry_after == 0
