"""The opt-in test for a saturated gate: is the variant worse by less than a stated margin?

Kept away from the sign-flip test on purpose: shifting the differences by the margin would make every tie look like a
win and call 28 ties proof at any level. Only the pairs that the variant lost are counted, and gains are ignored.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from harness.decision.scorecard import Scorecard


def p_value(card: Scorecard, margin: float) -> float:
    """A bound on P(so few losses | the variant is worse by the margin or more), over the tasks of the suite as they are.

    A variant that is worse by the margin loses at least that share of pairs. With x the mean over tasks of the share
    lost, Chernoff's bound gives exp(-N KL(x, margin)) for N independent pairs (Hoeffding 1963, theorem 1); where tasks
    have different numbers of pairs, N counts each with the smallest, which only makes the bound larger. Rounded up to
    six digits, so that a replay elsewhere compares the same number.
    """
    if not card.tasks:
        return 1.0
    x = float(sum(Fraction(task.lost, task.pairs) for task in card.tasks) / len(card.tasks))
    if x >= margin:
        return 1.0
    pairs = len(card.tasks) * min(task.pairs for task in card.tasks)
    lost = x * math.log(x / margin) if x else 0.0
    kept = (1 - x) * math.log((1 - x) / (1 - margin))
    return float(f"{math.exp(-pairs * (lost + kept)):.6g}")
