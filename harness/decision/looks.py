"""When a comparison may stop: the level each look may spend, and the line under which a win has become too unlikely.

Looks are equally spaced: one sweep of the holdout tasks each. Numbers only; what a look means is policy.py's.
"""

import math
from fractions import Fraction
from functools import lru_cache

from harness.decision import normal
from harness.errors import ConfigError

MOST_LOOKS = 8

# Gauss-Legendre, eight nodes (Abramowitz and Stegun, table 25.4), on panels no wider than this many standard
# deviations of one increment: doubling either changes no level in its tenth digit.
_PANEL = 1.5
_NODES = (
    (0.1834346424956498, 0.3626837833783620),
    (0.5255324099163290, 0.3137066458778873),
    (0.7966664774136267, 0.2223810344533745),
    (0.9602898564975363, 0.1012285362903763),
)
_FAR = 8.0  # standard deviations; the mass beyond is 6e-16

# (weight times density, partial sum) pairs: how likely the walk got here without having crossed before.
_Mass = tuple[tuple[float, float], ...]


@lru_cache(maxsize=256)
def levels(alpha: float, looks: int) -> tuple[float, ...]:
    """The one-sided level of each look: a gate beats at look k once its p is at most `levels(alpha, looks)[k - 1]`.

    By look k a share alpha * (k / looks) ** 2 of the error is spent (Lan and DeMets 1983, power family), and the level
    follows by recursive integration over Gaussian increments (Armitage, McPherson and Rowe 1969). Futility is not
    counted on, so stopping early for it, or not, keeps the error at most alpha. Levels after the first are rounded to
    six digits: a replay on another machine's maths library must compare against the very same number.

    Raises:
        ConfigError: alpha is not strictly between 0 and 1/2, or looks not 1 to 8.
    """
    if not 0 < alpha < 1 / 2:
        raise ConfigError(f"alpha must lie strictly between 0 and 0.5, not {alpha}")
    _check_looks(looks)
    found = [alpha / looks**2]
    mass = _start(-normal.quantile(found[0]))
    for look in range(2, looks + 1):
        bound = _bound(mass, alpha * (2 * look - 1) / looks**2)
        found.append(float(f"{normal.tail(bound / math.sqrt(look)):.6g}"))
        mass = _step(mass, look, bound)
    return tuple(found)


@lru_cache(maxsize=MOST_LOOKS)
def futility_lines(looks: int) -> tuple[float, ...]:
    """The task-level t under which an unbeaten gate ends the comparison, at looks 1 to looks - 1.

    The measured lines are 0, .2, .4, .6, .7, .8, .9 for eight looks and 0, .3, .6, .9 for five. With x = k / looks they
    lie on 1.5x - .3 (five looks) and on the lower of 1.6x - .2 and .8x + .2 (eight looks). The rule that gives both:
    nothing but a loss stops the first look; after it, up to five looks use the first curve, eight the second, six and
    seven the mixture in proportion. They hold for any alpha: stopping for futility spends nothing.

    Raises:
        ConfigError: looks is not 1 to 8.
    """
    _check_looks(looks)
    bent = max(Fraction(0), Fraction(looks - 5, 3))

    def line(look: int) -> Fraction:
        if look == 1:
            return Fraction(0)
        x = Fraction(look, looks)
        five = (15 * x - 3) / 10
        eight = min(16 * x - 2, 8 * x + 2) / 10
        return (1 - bent) * five + bent * eight

    return tuple(float(line(look)) for look in range(1, looks))


def _check_looks(looks: int) -> None:
    if not 1 <= looks <= MOST_LOOKS:
        raise ConfigError(f"looks must be 1 to {MOST_LOOKS}, not {looks}")


def _start(bound: float) -> _Mass:
    return tuple((weight * _density(at), at) for weight, at in _grid(-_FAR, bound))


def _step(mass: _Mass, look: int, bound: float) -> _Mass:
    """One more increment: the mass still under the bound after `look` looks."""
    grid = _grid(-_FAR * math.sqrt(look), bound)
    return tuple((weight * sum(m * _density(at - before) for m, before in mass), at) for weight, at in grid)


def _bound(mass: _Mass, spend: float) -> float:
    """The bound on the partial sum that the next increment crosses with probability `spend`, by bisection."""
    low, high = -_FAR, 5 * _FAR
    while True:
        middle = (low + high) / 2
        if middle in (low, high):
            return middle
        crossed = sum(m * normal.tail(middle - before) for m, before in mass)
        low, high = (middle, high) if crossed > spend else (low, middle)


def _grid(low: float, high: float) -> tuple[tuple[float, float], ...]:
    """(weight, place) pairs that integrate a smooth function from low to high."""
    panels = math.ceil((high - low) / _PANEL)
    half = (high - low) / panels / 2
    centres = (low + half * (2 * panel + 1) for panel in range(panels))
    return tuple(
        (weight * half, centre + side * node * half) for centre in centres for node, weight in _NODES for side in (-1, 1)
    )


def _density(z: float) -> float:
    return math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
