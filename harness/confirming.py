"""Confirming: one registered test on holdout, both arms fresh and interleaved, a look after each sweep.

Registered before its first rollout; its alpha is spent even if it is never finished.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.campaign import outcome_of, short_id
from harness.decision.record import DecisionRecord, decision_record
from harness.ledger.schema import ConfirmationRow
from harness.task import Split
from harness.trial import Arm, Stage, TrialKey

if TYPE_CHECKING:
    from harness.campaign import Campaign
    from harness.decision.scorecard import Outcome
    from harness.ledger.schema import TrialRow
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
    arms = {Arm.BASELINE: baseline, Arm.VARIANT: variant}
    rows: list[TrialRow] = []
    outcomes: list[Outcome] = []
    spent = {"confirmation": str(registered.number), "alpha_sum": f"{registered.alpha_sum:.4f}"}
    for look, order in enumerate(registered.orders, start=1):
        keys = [_key(registered.key, place, arms, look) for place in order]
        title = f"confirm generation {variant.generation}, look {look} of at most {campaign.rules.looks}"
        found = campaign.evaluator.run(title, [(key, arms[key.arm]) for key in keys]).values()
        rows += found
        outcomes += [outcome_of(row) for row in found]
        loaded = sum(row.loaded for row in rows if row.arm == Arm.VARIANT)
        record = decision_record(outcomes, campaign.rules, context | spent | {"loaded": str(loaded)})
        if record.decision.closed:
            break
        campaign.progress.note(record.decision.reason)
    return registered.key, record


def register(campaign: Campaign, baseline: Variant, variant: Variant) -> ConfirmationRow:
    """The confirmation's row, written once. Number and sum of alpha count every campaign of the ledger on this holdout."""
    key = short_id(campaign.ledger.campaign, "confirm", variant.generation, baseline.id, variant.id)
    found = campaign.ledger.find(ConfirmationRow, key)
    if found:
        return found
    holdout = campaign.suite.holdout_hash
    before = [row for row in campaign.ledger.everywhere(ConfirmationRow) if row.holdout_hash == holdout]
    places = [f"{arm}:{task.id}" for task in campaign.suite.split(Split.HOLDOUT) for arm in Arm]
    row = ConfirmationRow(
        key=key,
        generation=variant.generation,
        baseline=baseline.id,
        variant=variant.id,
        number=len(before) + 1,
        alpha=campaign.rules.alpha,
        alpha_sum=sum(row.alpha for row in before) + campaign.rules.alpha,
        holdout_hash=holdout,
        orders=tuple(campaign.shuffle(f"confirm {key} {look}", places) for look in range(1, campaign.rules.looks + 1)),
    )
    campaign.ledger.add(row)
    return row


def _key(confirmation: str, place: str, arms: dict[Arm, Variant], look: int) -> TrialKey:
    arm, _, task = place.partition(":")
    variant = arms[Arm(arm)].id
    return TrialKey(stage=Stage.CONFIRM, confirmation=confirmation, arm=Arm(arm), variant=variant, task=task, repeat=look)
