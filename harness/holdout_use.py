"""How much a holdout was used, over all campaigns of the ledger: every promotion learned from it, a little."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.counted import counted
from harness.ledger.schema import ConfirmationRow, DecisionRow

if TYPE_CHECKING:
    from harness.ledger.schema import Ledger
    from harness.task import Suite

MOST_PROMOTIONS = 20  # then a third of the tasks should be others
MOST_CONFIRMATIONS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldoutUse:
    """Counted by holdout hash, so that a new seed or campaign resets nothing."""

    confirmations: int
    promotions: int
    alpha_sum: float

    @property
    def worn(self) -> bool:
        """Whether tasks should be rotated."""
        return self.promotions >= MOST_PROMOTIONS or self.confirmations >= MOST_CONFIRMATIONS

    @property
    def warning(self) -> str:
        """What to say of a worn holdout; empty where it is not."""
        if not self.worn:
            return ""
        served = f"{counted(self.confirmations, 'confirmation')} with {counted(self.promotions, 'promotion')}"
        return (
            f"this holdout has served {served} (sum of alpha {self.alpha_sum:.2f}), and no task waits in its reserve: exchange "
            "a third of it ([suite] reserve), or what is promoted comes to fit it"
        )


def holdout_use(ledger: Ledger, holdout: str) -> HoldoutUse:
    """What the ledger knows of one holdout."""
    rows = [row for row in ledger.everywhere(ConfirmationRow) if row.holdout_hash == holdout]
    keys = {row.key for row in rows}
    won = sum(row.confirmation in keys and row.decision == "promote" for row in ledger.everywhere(DecisionRow))
    return HoldoutUse(confirmations=len(rows), promotions=won, alpha_sum=sum(row.alpha for row in rows))


def rotations_due(ledger: Ledger, suite: Suite) -> int:
    """How often a third of the holdout is to have been exchanged by now: until it is not worn, or the reserve is used up."""
    times, current = 0, suite
    while holdout_use(ledger, current.holdout_hash).worn and (following := suite.rotated(times + 1)):
        times, current = times + 1, following
    return times
