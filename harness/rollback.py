"""Rollback: the baseline back to its parent, as a ledger entry. The next run goes on from there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.campaign import short_id, variant_of
from harness.decision.result import DecisionKind
from harness.errors import InputError
from harness.ledger.schema import DecisionRow, PromotionRow, VariantRow

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from harness.ledger.history import History
    from harness.ledger.schema import Ledger
    from harness.skill import Variant

ROLLBACK = "rollback/"


def roll_back(ledger: Ledger, reason: str) -> PromotionRow:
    """Move the baseline of a campaign back to the one before it, and give the row that says so.

    An open batch was made from the baseline that goes: its undecided variants end as not confirmed, and may be proposed again.

    Raises:
        InputError: nothing was promoted, or everything was rolled back already.
    """
    moves = ledger.rows(PromotionRow)
    current = moves[-1].new if moves else ""
    came = [move for move in moves if move.new == current and not move.key.startswith(ROLLBACK)]
    if not came:
        raise InputError(f"campaign {ledger.campaign[:16]}: the baseline is the skill that it started from; nothing to roll back")
    parent = came[-1].old
    number = 1 + sum(move.key.startswith(ROLLBACK) for move in moves)
    row = PromotionRow(
        key=f"{ROLLBACK}{number}", generation=_first(ledger, parent).generation, old=current, new=parent, reason=reason
    )
    ledger.add(row, *(_ended(ledger, variant) for variant in _open(ledger)))
    return row


def restored(ledger: Ledger, row: PromotionRow) -> Variant:
    """The baseline that a rollback went back to.

    Raises:
        LedgerError: its blob is absent or changed.
    """
    return variant_of(ledger, _first(ledger, row.new))


def find_campaign(histories: Iterable[History], name: str) -> str:
    """The newest campaign with a promotion whose name begins so.

    Raises:
        InputError: there is none, naming those there are.
    """
    promoted = [history.campaign for history in histories if history.promotions]
    found = [campaign for campaign in promoted if campaign.startswith(name)]
    if not found:
        known = ", ".join(campaign[:16] for campaign in promoted) or "none"
        raise InputError(
            f"no campaign {name!r} in which anything was promoted, so nothing can be rolled back; known are: {known}"
        )
    return found[-1]


def _first(ledger: Ledger, variant: str) -> VariantRow:
    return next(row for row in ledger.rows(VariantRow) if row.variant == variant and not row.refused)


def _open(ledger: Ledger) -> Iterator[VariantRow]:
    decided = {row.generation for row in ledger.rows(DecisionRow)}
    return (row for row in ledger.rows(VariantRow) if row.generation and row.generation not in decided)


def _ended(ledger: Ledger, row: VariantRow) -> DecisionRow:
    return DecisionRow(
        key=row.key,
        id=short_id(ledger.campaign, "decision", row.generation),
        generation=row.generation,
        confirmation="",
        baseline=row.parent,
        variant=row.variant,
        decision=str(DecisionKind.NOT_CONFIRMED),
        stage="rollback",
        reason="Not confirmed: its baseline was rolled back. It may be proposed again.",
        record='{"stage": "rollback"}',
    )
