"""The exact one-sided sign-flip test over tasks.

Under the null hypothesis a task's difference is as likely to favour one arm as the other, so every choice of signs is
equally likely: p = P(sum of e_i |D_i| >= sum of D_i) over all signs e. Counted in integers; no random numbers, no
rounding. With one repeat it is exact McNemar.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskDifference:
    """One task: `total` is the sum over its complete pairs of (variant - baseline), each -1, 0 or 1."""

    total: int
    pairs: int


def scaled(differences: Sequence[TaskDifference]) -> tuple[int, ...]:
    """The D vector: per-task mean differences times the least common multiple of the pair counts, zeros kept."""
    common = math.lcm(*(difference.pairs for difference in differences))
    return tuple(difference.total * (common // difference.pairs) for difference in differences)


def p_value(scores: Sequence[int]) -> Fraction:
    """P(a random choice of signs reaches the observed sum), as an exact fraction with a power of two below.

    Zeros drop out; with nothing informative p is 1.

    A choice of signs reaches the sum exactly when the |D| it makes positive add up to at least the D that were positive,
    so this counts subsets by their sum. The counts live side by side in one integer, `width` bits each: adding a copy
    shifted by |D| fields is one step of the dynamic program for all sums at once.
    """
    informative = [score for score in scores if score]
    unit = math.gcd(*informative)
    width = len(informative) + 1  # a count is at most 2 ** len(informative), so fields never carry into each other
    subsets = 1
    for score in informative:
        subsets += subsets << (abs(score) // unit * width)
    reached = sum(score for score in informative if score > 0) // (unit or 1)
    at_least = subsets >> (reached * width)
    return Fraction(_sum_of_fields(at_least, width), 1 << len(informative))


def _sum_of_fields(packed: int, width: int) -> int:
    """The digit sum in base 2 ** width: the base is 1 modulo (base - 1), and the sum, at most base / 2, is below that."""
    if width == 1:
        return packed
    return packed % ((1 << width) - 1)
