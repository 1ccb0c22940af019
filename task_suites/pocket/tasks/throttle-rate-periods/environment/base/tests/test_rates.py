"""Tests of throttle.rates."""

import pytest

from throttle import Rate, parse_rate
from throttle.errors import InvalidLimitError, RateSyntaxError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("10/s", Rate(10, 1)),
        ("600 per minute", Rate(600, 60)),
        ("0.5/h", Rate(0.5, 3600)),
        (" 3 / DAYS ", Rate(3, 86400)),
    ],
)
def test_rate_is_a_count_and_a_unit(text: str, expected: Rate) -> None:
    """Units may be short or spelled out, in any case."""
    assert parse_rate(text) == expected


@pytest.mark.parametrize("text", ["", "fast", "10", "10/", "/s", "-1/s", "10/week"])
def test_other_text_is_refused(text: str) -> None:
    """What is not a rate raises RateSyntaxError."""
    with pytest.raises(RateSyntaxError):
        parse_rate(text)


def test_rate_must_be_positive() -> None:
    """Neither number of a rate may be zero."""
    with pytest.raises(InvalidLimitError):
        Rate(0, 1)
    with pytest.raises(RateSyntaxError):
        parse_rate("0/s")


def test_per_second_spreads_the_count_over_the_period() -> None:
    """Thirty a minute is one every other second."""
    assert Rate(30, 60).per_second == 0.5
