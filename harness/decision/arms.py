"""Shared baseline arms: which stored baseline trials a confirmation may be paired with, and when it needs fresh ones.

An arm is named "<confirmation>/<side>" after the confirmation that first ran it and the side that it was there: fresh
baseline trials are "<id>/baseline", a winner's own trials "<id>/variant".
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from harness.decision.result import DecisionKind
from harness.trial import Arm

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

MOST_USES = 3
LONG = 6  # looks from which an inconclusive decision spoils its arm: its luck would help the next try


class BaselineArm(StrEnum):
    """Whether every confirmation runs the baseline anew, or may be paired with trials of an earlier one."""

    FRESH = "fresh"
    SHARED = "shared"


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """One registered confirmation, as far as arms go. `arm` is the stored arm it was paired with, empty for a fresh one.

    `decision` is None while it is undecided (cut, and not gone on with); `looks` are those of the decision.
    """

    key: str
    night: int
    baseline: str
    variant: str
    arm: str
    decision: DecisionKind | None
    looks: int

    @property
    def paired_with(self) -> str:
        """The arm that its variant was paired with, fresh or not."""
        return self.arm or arm_name(self.key, Arm.BASELINE)


def arm_name(confirmation: str, side: Arm) -> str:
    """The name of the trials that a confirmation ran on one side."""
    return f"{confirmation}/{side}"


def arm_source(arm: str) -> tuple[str, Arm]:
    """(confirmation, side) whose trials an arm consists of."""
    confirmation, _, side = arm.partition("/")
    return confirmation, Arm(side)


def choose_arm(past: Iterable[Use], *, night: int, baseline: str, lineage: Collection[str]) -> str:
    """The stored arm for the next confirmation against `baseline`, or empty: run a fresh one.

    An arm serves at most three confirmations of one night. After a promotion the winner's trials are the next arm. An
    inconclusive decision with six or more looks spoils its arm, and an inconclusive variant met again, or a descendant
    of one (`lineage`: the variant to be confirmed and its ancestors), gets a fresh one.
    """
    current, owner, served = "", "", 0
    for use in past:
        if use.decision is DecisionKind.INCONCLUSIVE and use.variant in lineage:
            return ""
        if use.night != night:
            continue
        if use.paired_with != current:
            current, owner, served = use.paired_with, use.baseline, 0
        served += 1
        if use.decision is DecisionKind.PROMOTE:
            current, owner, served = arm_name(use.key, Arm.VARIANT), use.variant, 0
        elif served >= MOST_USES or (use.decision is DecisionKind.INCONCLUSIVE and use.looks >= LONG):
            current = ""
    return current if owner == baseline else ""
