"""Confirming: one registered test on holdout, registered before its first rollout; its alpha is spent even if it is aborted.

Owns what a confirmation may spend (multiplicity) and what it is paired with (baseline arms); the looks are `comparing`'s.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from harness.campaign import short_id
from harness.comparing import Comparison, places, run_looks
from harness.decision.arms import BaselineArm, Use, arm_name, arm_source, choose_arm
from harness.decision.multiplicity import alpha_for
from harness.decision.result import DecisionKind
from harness.ledger.schema import ConfirmationRow, DecisionRow
from harness.task import Split
from harness.trial import Arm, Stage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.campaign import Campaign
    from harness.decision.record import DecisionRecord
    from harness.skill import Variant


def confirm(campaign: Campaign, baseline: Variant, variant: Variant, context: dict[str, str]) -> tuple[str, DecisionRecord]:
    """The confirmation's id and its record, once a look closes it.

    Args:
        campaign: what the loop works with.
        baseline: the variant currently promoted.
        variant: the one that challenges it.
        context: hashes and versions to keep in the record.

    Raises:
        BudgetSpentError: a limit of the run is reached; the same command goes on from the last finished trial.
    """
    registered = register(campaign, baseline, variant)
    spent = {"confirmation": str(registered.number), "alpha_sum": f"{registered.alpha_sum:.4f}"}
    paired = {"baseline_arm": registered.arm} if registered.arm else {}
    comparison = Comparison(
        key=registered.key,
        stage=Stage.CONFIRM,
        title=f"confirm generation {variant.generation}",
        baseline=baseline,
        variant=variant,
        rules=replace(campaign.rules, alpha=registered.alpha),
        orders=registered.orders,
        source=arm_source(registered.arm or arm_name(registered.key, Arm.BASELINE)),
    )
    return registered.key, run_looks(campaign, comparison, context | spent | paired)


def register(campaign: Campaign, baseline: Variant, variant: Variant) -> ConfirmationRow:
    """The confirmation's row, written once. Number and sum of alpha count every campaign of the ledger on this holdout."""
    key = short_id(campaign.ledger.campaign, "confirm", variant.generation, baseline.id, variant.id)
    found = campaign.ledger.find(ConfirmationRow, key)
    if found:
        return found
    holdout = campaign.suite.holdout_hash
    before = [row for row in campaign.ledger.everywhere(ConfirmationRow) if row.holdout_hash == holdout]
    alpha = alpha_for(campaign.options.multiplicity, campaign.rules.alpha, len(before) + 1, _promoted(campaign, before))
    trials = places([task.id for task in campaign.suite.split(Split.HOLDOUT)])
    row = ConfirmationRow(
        key=key,
        generation=variant.generation,
        baseline=baseline.id,
        variant=variant.id,
        number=len(before) + 1,
        alpha=alpha,
        alpha_sum=sum(row.alpha for row in before) + alpha,
        holdout_hash=holdout,
        orders=tuple(campaign.shuffle(f"confirm {key} {look}", trials) for look in range(1, campaign.rules.looks + 1)),
        night=campaign.night,
        arm=_stored_arm(campaign, baseline, variant),
    )
    campaign.ledger.add(row)
    return row


def _promoted(campaign: Campaign, before: Sequence[ConfirmationRow]) -> list[int]:
    """The numbers of the confirmations that promoted."""
    won = {row.confirmation for row in campaign.ledger.everywhere(DecisionRow) if row.decision == DecisionKind.PROMOTE}
    return [row.number for row in before if row.key in won]


def _stored_arm(campaign: Campaign, baseline: Variant, variant: Variant) -> str:
    """The arm to pair with. Only this campaign's can be: its hash covers model, graders, personas and the harness's version."""
    if campaign.options.baseline_arm is BaselineArm.FRESH:
        return ""
    decided = {row.confirmation: row for row in campaign.ledger.rows(DecisionRow) if row.confirmation}
    uses = [_use(row, decided.get(row.key)) for row in campaign.ledger.rows(ConfirmationRow)]
    return choose_arm(uses, night=campaign.night, baseline=baseline.id, lineage={variant.id, *campaign.ancestors(variant)})


def _use(row: ConfirmationRow, decided: DecisionRow | None) -> Use:
    return Use(
        key=row.key,
        night=row.night,
        baseline=row.baseline,
        variant=row.variant,
        arm=row.arm,
        decision=DecisionKind(decided.decision) if decided else None,
        looks=len(json.loads(decided.record)["result"]["gates"]["tests"]["looks"]) if decided else 0,
    )
