"""What a campaign does around its confirmations: how alpha is shared out, whether baseline arms are, and what else is run."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from harness.decision.arms import BaselineArm
from harness.decision.multiplicity import Multiplicity


class Control(StrEnum):
    """A further arm, shown beside the decisions: does any skill help at all?"""

    PLACEBO = "placebo"  # neutral text of the same length
    NO_SKILL = "no_skill"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The choices beside `Rules`. `shadow_every` counts decided variants for each A/A shadow, 0 for none."""

    multiplicity: Multiplicity = Multiplicity.LEDGER
    baseline_arm: BaselineArm = BaselineArm.FRESH
    shadow_every: int = 50
    controls: tuple[Control, ...] = ()
