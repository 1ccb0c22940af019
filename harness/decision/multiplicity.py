"""How much error each confirmation may spend, when many are made on one holdout.

`ledger` gives each the full alpha and prints the sum, an upper bound on expected false promotions. `spending` divides one alpha
over all of them. `lord` keeps the share of false ones among the promotions at alpha: a promotion earns error for later ones.
"""

from __future__ import annotations

import math
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

# Keeps the sum of the series below under one, at .976 (Javanmard and Montanari 2018, section 4).
_SHARE = 0.07720838


class Multiplicity(StrEnum):
    """The rule by name."""

    LEDGER = "ledger"
    SPENDING = "spending"
    LORD = "lord"


def alpha_for(kind: Multiplicity, alpha: float, number: int, promoted: Iterable[int] = ()) -> float:
    """The alpha of confirmation `number` (from 1) on a holdout, `promoted` the numbers of those that promoted before it.

    `spending`: 6 alpha / (pi number)^2, which sums to alpha over any number of confirmations. `lord`: LORD++ with
    w0 = alpha / 2 (Ramdas, Yang, Wainwright and Jordan 2017). Rounded to six digits, so that a replay meets the same number.
    """
    match kind:
        case Multiplicity.LEDGER:
            return alpha
        case Multiplicity.SPENDING:
            return _rounded(6 * alpha / (math.pi * number) ** 2)
        case Multiplicity.LORD:
            waits = [number - before for before in sorted(promoted) if before < number]
            earned = [alpha / 2 * series(wait) if at == 0 else alpha * series(wait) for at, wait in enumerate(waits)]
            return _rounded(alpha / 2 * series(number) + sum(earned))


def series(place: int) -> float:
    """LORD's weights gamma, from place 1: they fall slowly, and all together stay under one."""
    return _SHARE * math.log(max(place, 2)) / (place * math.exp(math.sqrt(math.log(place))))


def _rounded(alpha: float) -> float:
    return float(f"{alpha:.6g}")
