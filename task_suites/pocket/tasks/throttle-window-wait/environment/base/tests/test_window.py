"""Tests of throttle.window."""

from throttle import ManualClock, SlidingWindow


def test_limit_holds_within_the_window() -> None:
    """The window grants its limit and refuses the next charge."""
    window = SlidingWindow(limit=2, window=10, clock=ManualClock())
    assert [bool(window.acquire()) for _ in range(3)] == [True, True, False]


def test_charge_stops_counting_when_it_is_as_old_as_the_window() -> None:
    """A charge frees its room exactly one window later, not before."""
    clock = ManualClock()
    window = SlidingWindow(limit=1, window=10, clock=clock)
    window.acquire()
    clock.advance(9.5)
    assert not window.peek().allowed
    clock.advance(0.5)
    assert window.peek().allowed


def test_wait_is_the_time_until_the_oldest_charge_expires() -> None:
    """A cost of one waits for one charge to leave the window."""
    clock = ManualClock()
    window = SlidingWindow(limit=2, window=10, clock=clock)
    window.acquire()
    clock.advance(4)
    window.acquire()
    assert window.acquire().retry_after == 6


def test_refund_frees_room_at_once() -> None:
    """Refunded units can be acquired again without a wait."""
    window = SlidingWindow(limit=4, window=10, clock=ManualClock())
    window.acquire(4)
    window.refund(3)
    assert window.peek(3).allowed
    assert not window.peek(4).allowed


def test_from_rate_takes_text() -> None:
    """A window can be made from a rate as people write it."""
    window = SlidingWindow.from_rate("5/m", clock=ManualClock())
    assert (window.limit, window.window) == (5, 60)
