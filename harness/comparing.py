"""Comparing: two arms on holdout, interleaved, a look after each sweep, until one closes it. What follows is the caller's."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from harness.campaign import outcome_of
from harness.decision.record import DecisionRecord, decision_record
from harness.decision.wording import retries
from harness.trial import Arm, Stage, TrialKey

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.campaign import Campaign
    from harness.decision.rules import Rules
    from harness.decision.scorecard import Outcome
    from harness.skill import Variant


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Who meets whom, by which rules and in which recorded orders ("<arm>:<task>", one tuple a look).

    `source` is the (confirmation, side) whose trials the baseline's are: this comparison's own, or a stored arm's.
    """

    key: str
    stage: Stage
    title: str
    baseline: Variant
    variant: Variant
    rules: Rules
    orders: Sequence[Sequence[str]]
    source: tuple[str, Arm]

    def plan(self, place: str, look: int) -> tuple[TrialKey, Variant]:
        """The trial at one place of a look's order, and what it tries."""
        arm, _, task = place.partition(":")
        variant = self.baseline if arm == Arm.BASELINE else self.variant
        confirmation, side = self.source if arm == Arm.BASELINE else (self.key, Arm.VARIANT)
        key = TrialKey(stage=self.stage, confirmation=confirmation, arm=side, variant=variant.id, task=task, repeat=look)
        return key, variant


def places(tasks: Sequence[str]) -> list[str]:
    """Every trial of one sweep of both arms, to be shuffled."""
    return [f"{arm}:{task}" for task in tasks for arm in Arm]


def run_looks(campaign: Campaign, comparison: Comparison, context: dict[str, str]) -> DecisionRecord:
    """The record, once a look closes the comparison; `context` holds hashes and versions to keep in it.

    Raises:
        BudgetSpentError: a limit of the run is reached; the same command goes on from the last finished trial.
    """
    outcomes: list[Outcome] = []
    loaded = 0
    again = dict.fromkeys(Arm, 0)
    for look, order in enumerate(comparison.orders, start=1):
        plans = [comparison.plan(place, look) for place in order]
        title = f"{comparison.title}, look {look} of at most {comparison.rules.looks}"
        found = campaign.evaluator.run(title, plans)
        for place, (key, _) in zip(order, plans, strict=True):
            arm = Arm(place.partition(":")[0])
            outcomes.append(replace(outcome_of(found[key]), arm=arm))  # a stored arm may have been the variant's side
            loaded += arm is Arm.VARIANT and found[key].loaded
            again[arm] += found[key].attempts > 1
        record = decision_record(outcomes, comparison.rules, context | {"loaded": str(loaded)})
        if told := retries(again[Arm.BASELINE], again[Arm.VARIANT], len(outcomes) // 2):
            campaign.progress.note(told)
        if record.decision.closed:
            break
        campaign.progress.note(record.decision.reason)
    return record
