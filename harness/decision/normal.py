"""The standard normal distribution, as far as levels and planning need it: distribution function, tail and quantile."""

import math
from functools import lru_cache

_ROOT_2 = math.sqrt(2.0)


def cdf(z: float) -> float:
    """P(Z <= z) for a standard normal Z."""
    return math.erfc(-z / _ROOT_2) / 2


def tail(z: float) -> float:
    """P(Z > z), accurate far out where 1 - cdf(z) has no digits left."""
    return math.erfc(z / _ROOT_2) / 2


@lru_cache(maxsize=1024)
def quantile(share: float) -> float:
    """The z with P(Z <= z) = share, for 0 < share < 1, to about 15 digits.

    Raises:
        ValueError: `share` is not strictly between 0 and 1.
    """
    if not 0 < share < 1:
        raise ValueError(f"a quantile needs a share strictly between 0 and 1, not {share}")
    if share > 1 / 2:
        return -quantile(1 - share)
    low, high = -40.0, 0.0
    while True:
        middle = (low + high) / 2
        if middle in (low, high):
            return middle
        low, high = (middle, high) if cdf(middle) < share else (low, middle)
