"""How much a holdout was used, over all campaigns of the ledger: every promotion learned from it, a little."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.ledger.schema import ConfirmationRow, DecisionRow

if TYPE_CHECKING:
    from harness.ledger.schema import Ledger

MOST_PROMOTIONS = 20  # decision.md, stage 7: then a third of the tasks should be others
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
        return (
            f"this holdout has served {self.confirmations} confirmations with {self.promotions} promotions (sum of alpha "
            f"{self.alpha_sum:.2f}): exchange a third of its tasks for new ones, or what is promoted comes to fit it"
        )


def holdout_use(ledger: Ledger, holdout: str) -> HoldoutUse:
    """What the ledger knows of one holdout."""
    rows = [row for row in ledger.everywhere(ConfirmationRow) if row.holdout_hash == holdout]
    keys = {row.key for row in rows}
    won = sum(row.confirmation in keys and row.decision == "promote" for row in ledger.everywhere(DecisionRow))
    return HoldoutUse(confirmations=len(rows), promotions=won, alpha_sum=sum(row.alpha for row in rows))
