"""How far reviewers agree, beyond chance and beyond being wrong together, and what an approval rate is worth. Pure.

Answers are a table: change -> reviewer -> approves, or None for an answer that is no vote.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from harness.decision import normal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from harness.review.calibration import Share

    Table = Mapping[str, Mapping[str, bool | None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrected:
    """An approval rate as it would be without the reviewers' errors: the estimate and its two-sided 95 % interval."""

    rate: float
    interval: tuple[float, float]


def kappa(first: Sequence[bool | None], second: Sequence[bool | None]) -> float | None:
    """Cohen's kappa over the changes that both voted on (Cohen 1960); None where chance alone explains everything."""
    pairs = [(a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None]
    if not pairs:
        return None
    same = sum(a == b for a, b in pairs) / len(pairs)
    yes = [sum(pair[side] for pair in pairs) / len(pairs) for side in (0, 1)]
    chance = yes[0] * yes[1] + (1 - yes[0]) * (1 - yes[1])
    return None if math.isclose(chance, 1) else (same - chance) / (1 - chance)


def alpha(table: Table) -> float | None:
    """Krippendorff's alpha for yes and no with missing votes (Krippendorff 2011); None where only one answer was ever given."""
    weights: dict[tuple[bool, bool], float] = {}
    for votes in table.values():
        given = Counter(vote for vote in votes.values() if vote is not None)
        count = given.total()
        if count > 1:
            for a in given:
                for b in given:
                    share = given[a] * (given[b] - (a == b)) / (count - 1)
                    weights[a, b] = weights.get((a, b), 0.0) + share
    totals = {answer: sum(weights.get((answer, other), 0.0) for other in (True, False)) for answer in (True, False)}
    n = sum(totals.values())
    expected = 2 * totals[True] * totals[False]
    if not expected:
        return None
    return 1 - (n - 1) * (weights.get((True, False), 0.0) + weights.get((False, True), 0.0)) / expected


def error_correlation(table: Table, truth: Mapping[str, bool]) -> float | None:
    """Mean correlation (phi) of two reviewers' errors, over all pairs and the changes that both voted on.

    None where no pair has errors of both to compare.
    """
    reviewers = sorted({name for votes in table.values() for name in votes})
    found = [
        _phi([_errors(votes, pair, truth[change]) for change, votes in table.items()]) for pair in combinations(reviewers, 2)
    ]
    known = [value for value in found if value is not None]
    return sum(known) / len(known) if known else None


def effective_votes(count: int, correlation: float) -> float:
    """How many independent votes so many correlated ones are worth: n / (1 + (n - 1) r) (Kish 1965), at most n."""
    return count / (1 + (count - 1) * max(0.0, correlation)) if count else 0.0


def corrected(approved: Share, good: Share, bad: Share) -> Corrected | None:
    """The share of changes that deserve approval (Rogan and Gladen 1978), with the delta method's interval.

    Args:
        approved: changes approved, of those judged.
        good: good changes approved in calibration.
        bad: bad changes refused in calibration.

    Returns:
        None where the reviewers cannot be corrected: they tell good from bad no better than chance, within their bounds.
    """
    if approved.rate is None or good.rate is None or bad.rate is None or good.lower + bad.lower <= 1:
        return None
    power = good.rate + bad.rate - 1
    rate = min(1.0, max(0.0, (approved.rate + bad.rate - 1) / power))
    variance = _variance(approved) + rate**2 * _variance(good) + (1 - rate) ** 2 * _variance(bad)
    half = normal.quantile(0.975) * math.sqrt(variance) / power
    return Corrected(rate=rate, interval=(max(0.0, rate - half), min(1.0, rate + half)))


def _variance(share: Share) -> float:
    """Of a rate, with one success and one failure added: a rate of 1 from few changes is not certain (Agresti and Coull 1998)."""
    rate = (share.hits + 1) / (share.of + 2)
    return rate * (1 - rate) / (share.of + 2)


def _errors(votes: Mapping[str, bool | None], pair: tuple[str, str], truth: bool) -> tuple[bool, bool] | None:  # noqa: FBT001
    first, second = (votes.get(name) for name in pair)
    return None if first is None or second is None else (first is not truth, second is not truth)


def _phi(errors: Sequence[tuple[bool, bool] | None]) -> float | None:
    pairs = [pair for pair in errors if pair]
    count = len(pairs)
    first, second, both = (sum(values) for values in ([a for a, _ in pairs], [b for _, b in pairs], [a and b for a, b in pairs]))
    spread = first * (count - first) * second * (count - second)
    return (count * both - first * second) / math.sqrt(spread) if spread else None
