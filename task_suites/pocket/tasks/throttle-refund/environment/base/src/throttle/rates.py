"""Rates as people write them: ``10/s``, ``600 per minute``, ``100/15m``."""

import re
from dataclasses import dataclass

from throttle.checks import require_positive
from throttle.errors import RateSyntaxError

_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_NAMES = {"second": "s", "minute": "m", "hour": "h", "day": "d"}
_RATE = re.compile(
    r"(?P<count>\d+(\.\d+)?)\s*(/|\bper\b)\s*((?P<many>\d+)\s*)?(?P<unit>[a-z]+)"
)


@dataclass(frozen=True, slots=True)
class Rate:
    """So many ``count`` in each ``period`` of seconds."""

    count: float
    period: float

    def __post_init__(self) -> None:
        """Raise InvalidLimitError unless both numbers are positive."""
        require_positive("count", self.count)
        require_positive("period", self.period)

    @property
    def per_second(self) -> float:
        """The same rate as units per second."""
        return self.count / self.period


def parse_rate(text: str) -> Rate:
    """Read a rate; the unit is s, m, h or d, or its English name.

    A whole number before the unit counts it: ``"100/15m"`` is 100 in 15 minutes.
    Raises RateSyntaxError for anything else, and for numbers that are zero.
    """
    match = _RATE.fullmatch(text.strip().lower())
    if match is None:
        raise RateSyntaxError(f"not a rate: {text!r}; write it like '10/s'")
    count = float(match["count"])
    many = int(match["many"] or 1)
    if count == 0 or many == 0:
        raise RateSyntaxError(f"a rate needs numbers above zero: {text!r}")
    return Rate(count, many * _unit_seconds(match["unit"], text))


def _unit_seconds(unit: str, text: str) -> float:
    short = _NAMES.get(unit.removesuffix("s"), unit)
    if short not in _SECONDS:
        known = ", ".join([*_SECONDS, *_NAMES])
        raise RateSyntaxError(f"unknown unit {unit!r} in {text!r}; known are {known}")
    return _SECONDS[short]
