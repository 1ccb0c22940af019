"""The missing guard: too many pairs missing, or the arms missing unequally, and there is no answer."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from harness.decision.scorecard import Scorecard
    from harness.gates import Gate

MOST_MISSING = Fraction(1, 10)  # share of pairs
LEAST_FISHER_P = Fraction(1, 20)


@dataclass(frozen=True, slots=True, kw_only=True)
class GateMissing:
    """One gate's missing verdicts: incomplete pairs of all pairs, missing trials by arm, and Fisher's exact p."""

    gate: Gate
    pairs: int
    missing_pairs: int
    baseline: int
    variant: int
    fisher_p: Fraction

    @property
    def share(self) -> Fraction:
        """Share of pairs with a missing side."""
        return Fraction(self.missing_pairs, self.pairs)

    @property
    def too_many(self) -> bool:
        """More pairs are missing than may be."""
        return self.share > MOST_MISSING

    @property
    def unequal(self) -> bool:
        """One arm misses more than chance explains, so missing may depend on the variant."""
        return self.fisher_p < LEAST_FISHER_P


def count_missing(card: Scorecard) -> GateMissing:
    """What is missing on one gate at one look."""
    return GateMissing(
        gate=card.gate,
        pairs=card.pairs,
        missing_pairs=card.missing_pairs,
        baseline=card.missing_baseline,
        variant=card.missing_variant,
        fisher_p=fisher_p(card.missing_baseline, card.missing_variant, card.pairs),
    )


def fisher_p(first: int, second: int, of: int) -> Fraction:
    """Fisher's exact two-sided p for `first` of `of` against `second` of `of`: all tables no likelier than this one."""
    together = first + second

    def ways(k: int) -> int:
        return math.comb(of, k) * math.comb(of, together - k)

    here = ways(first)
    counts = (ways(k) for k in range(max(0, together - of), min(of, together) + 1))
    return Fraction(sum(count for count in counts if count <= here), math.comb(2 * of, together))
