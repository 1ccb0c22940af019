"""The size of a difference for the reader: task-level mean, t and 95 % interval. The test itself is signflip.py's."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

from harness.decision.signflip import scaled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.decision.signflip import TaskDifference


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """`delta` is the mean over tasks of (variant - baseline), as a share; None without a task.

    `t` is its ratio to its standard error: without variance 0 for a zero mean, else infinite. `interval` is the 95 % t
    interval, one degree of freedom less than there are tasks; None below two tasks.
    """

    delta: Fraction | None
    t: float
    interval: tuple[float, float] | None


def measure(differences: Sequence[TaskDifference]) -> Effect:
    """The effect over tasks, each weighted equally whatever its number of pairs.

    Sums are kept in integers and rounded once, so t does not depend on the order of tasks or on the machine.
    """
    n = len(differences)
    if n == 0:
        return Effect(delta=None, t=0.0, interval=None)
    common = math.lcm(*(difference.pairs for difference in differences))
    scores = scaled(differences)
    total = sum(scores)
    spread = n * sum(score * score for score in scores) - total * total  # n (n - 1) times the variance
    delta = Fraction(total, n * common)
    if n == 1:
        return Effect(delta=delta, t=_t(total, spread, n), interval=None)
    error = math.sqrt(Fraction(spread, n * n * (n - 1) * common * common))
    half = t_quantile(n - 1) * error
    return Effect(delta=delta, t=_t(total, spread, n), interval=(float(delta) - half, float(delta) + half))


def t_of(differences: Sequence[TaskDifference]) -> float:
    """The t of `measure` alone, which every look needs."""
    scores = scaled(differences)
    total = sum(scores)
    return _t(total, len(scores) * sum(score * score for score in scores) - total * total, len(scores))


def _t(total: int, spread: int, n: int) -> float:
    if total == 0:
        return 0.0
    size = math.sqrt(Fraction(total * total * (n - 1), spread)) if spread else math.inf
    return math.copysign(size, total)


@lru_cache(maxsize=256)
def t_quantile(freedom: int) -> float:
    """The t with P(|T| <= t) = 95 % for a whole number of degrees of freedom, to ten digits."""
    low, high = 1.0, 13.0  # the answers lie between 1.96 and 12.71
    while True:
        middle = (low + high) / 2
        if middle in (low, high):
            return float(f"{middle:.10g}")
        low, high = (middle, high) if _within(middle, freedom) < 95 / 100 else (low, middle)


def _within(t: float, freedom: int) -> float:
    """P(|T| <= t), the finite series for whole degrees of freedom (Abramowitz and Stegun 26.7.3 and 26.7.4)."""
    angle = math.atan(t / math.sqrt(freedom))
    sine, cosine = math.sin(angle), math.cos(angle)
    odd = freedom % 2
    term = cosine if odd else 1.0
    total = 0.0
    for k in range(1 + odd, freedom, 2):
        total += term
        term *= k / (k + 1) * cosine * cosine
    return 2 / math.pi * (angle + sine * total) if odd else sine * total
