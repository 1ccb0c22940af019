"""Tests of throttle.clock."""

from throttle import ManualClock


def test_manual_clock_moves_only_when_told() -> None:
    """Two readings differ by what the clock was advanced."""
    clock = ManualClock(5)
    assert clock() == 5
    clock.advance(2.5)
    assert clock() == 7.5
