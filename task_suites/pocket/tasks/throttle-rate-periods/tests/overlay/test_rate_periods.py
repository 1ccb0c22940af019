"""Rates whose period is a whole number of units."""

import pytest

from throttle import ManualClock, Rate, SlidingWindow, TokenBucket, parse_rate
from throttle.errors import RateSyntaxError


@pytest.mark.parametrize(
    ("text", "count", "period"),
    [
        ("100/15m", 100, 900),
        ("5 per 10 seconds", 5, 10),
        ("3 / 30 s", 3, 30),
        ("1/2DAYS", 1, 172800),
        ("7 per 6h", 7, 21600),
        ("2/12 hours", 2, 43200),
        ("0.5/90 Minutes", 0.5, 5400),
        ("4/1s", 4, 1),
        ("9/1 day", 9, 86400),
        ("1000/120s", 1000, 120),
    ],
)
def test_number_counts_the_unit(text, count, period):
    assert parse_rate(text) == Rate(count, period)


def test_surrounding_space_is_ignored():
    assert parse_rate("  100/15m\n") == Rate(100, 900)


def test_bucket_takes_a_longer_period():
    bucket = TokenBucket.from_rate("90/15m", clock=ManualClock())
    assert (bucket.capacity, bucket.rate) == (90, 0.1)


def test_window_takes_a_longer_period():
    window = SlidingWindow.from_rate("5 per 10 seconds", clock=ManualClock())
    assert (window.limit, window.window) == (5, 10)


@pytest.mark.parametrize("text", ["5/0s", "5 per 0 minutes", "5/00h"])
def test_zero_units_are_refused(text):
    with pytest.raises(RateSyntaxError):
        parse_rate(text)


@pytest.mark.parametrize("text", ["5/-2s", "5/1.5h", "5/10", "5/10 weeks", "5/2/s", "5/m15", "5/1 0s"])
def test_malformed_periods_are_refused(text):
    with pytest.raises(RateSyntaxError):
        parse_rate(text)


@pytest.mark.parametrize("text", ["0/15m", "0/s"])
def test_zero_count_is_refused(text):
    with pytest.raises(RateSyntaxError):
        parse_rate(text)


@pytest.mark.parametrize(
    ("text", "count", "period"),
    [("10/s", 10, 1), ("600 per minute", 600, 60), ("0.5/h", 0.5, 3600), ("3/days", 3, 86400)],
)
def test_rates_without_a_number_are_read_as_before(text, count, period):
    assert parse_rate(text) == Rate(count, period)
