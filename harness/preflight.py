"""Preflight: the baseline's own trials before a variant may cost anything: its dev cache, and its room on holdout."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from harness.campaign import outcome_of
from harness.counted import counted
from harness.decision.headroom import NextStep, Preflight, preflight
from harness.decision.planner import told_before
from harness.decision.power import START_RATES, Design
from harness.errors import IncompleteError
from harness.ledger.schema import EventRow, TrialRow
from harness.rollout import Ending
from harness.task import Split
from harness.trial import Arm, Stage, TrialKey

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.campaign import Campaign
    from harness.decision.scorecard import Outcome
    from harness.skill import Variant

DEV_SWEEPS = 4  # of dev by the baseline, cached for all screens against it


def run_preflight(campaign: Campaign, baseline: Variant) -> tuple[Outcome, ...]:
    """The baseline's dev outcomes, once its holdout leaves room on every gate.

    Raises:
        IncompleteError: a gate cannot be beaten, the baseline passes nothing anywhere, or no agent was shown it; nothing else is
            spent.
        BudgetSpentError: a limit of the run is reached.
    """
    _tell_what_is_seen(campaign, "before", START_RATES)
    dev = _sweep(campaign, baseline, Split.DEV, 1)
    _require_read(campaign, baseline)
    dev += tuple(outcome for repeat in range(2, DEV_SWEEPS + 1) for outcome in _sweep(campaign, baseline, Split.DEV, repeat))
    if not any(passed for outcome in dev for passed in (outcome.tests, outcome.style, outcome.review)):
        raise IncompleteError(
            f"the baseline passed no gate in any of {counted(len(dev), 'dev trial')}; check the set-up with "
            "`harness trial` on one task before more is spent"
        )
    found = _headroom(campaign, baseline)
    for line in _told(found):
        campaign.progress.note(line)
    if found.next_step is NextStep.BLOCKED:
        raise IncompleteError(found.reason)
    _tell_what_is_seen(campaign, "measured", [float(gate.rate or 0) for gate in found.gates])
    return dev


def _require_read(campaign: Campaign, baseline: Variant) -> None:
    """A skill that no agent is shown can be neither better nor worse: what is written for it would never be read either.

    But where the model itself opens a skill by its description, another description may be opened.
    """
    rows = [row for row in campaign.ledger.rows(TrialRow) if row.variant == baseline.id and row.ending == Ending.FINISHED]
    if not rows or any(row.loaded for row in rows):
        return
    seen = (
        f"in none of {counted(len(rows), 'finished trial')} does anything show that the agent was given the skill "
        f"({rows[-1].load.get('how', 'no evidence')})"
    )
    look = "`harness trial --transcript` on one task shows what it was sent"
    if rows[-1].load.get("delivery") != "skill":
        raise IncompleteError(f"{seen}, so nothing could ever be promoted; see [agent] delivery; {look}")
    campaign.progress.note(f"{seen}: only a variant that is opened can be promoted; see its description; {look}")


def _tell_what_is_seen(campaign: Campaign, when: str, rates: Sequence[float]) -> None:
    """Once a campaign, before anything is spent by usual rates and then by measured ones: the smallest gain that can be seen."""
    key = f"power/{when}"
    if campaign.ledger.find(EventRow, key) is None:
        design = Design(tasks=len(campaign.suite.split(Split.HOLDOUT)), repeats=campaign.rules.looks, alpha=campaign.rules.alpha)
        told = told_before(design, rates)
        campaign.progress.note(campaign.event(key, "smallest gain seen", told).data)


def _headroom(campaign: Campaign, baseline: Variant) -> Preflight:
    """Sweeps of the baseline's holdout until they tell whether a confirmation can be worth its cost.

    The sweeps that promoted a baseline may show that it has room, since luck made them look better than it is. That it has
    none only fresh sweeps can show, for the same reason (docs/statistics.md).
    """
    tasks = {task.id for task in campaign.suite.split(Split.HOLDOUT)}  # some may have been exchanged since
    won = [replace(outcome_of(row), arm=Arm.BASELINE) for row in campaign.winning_trials(baseline) if row.task in tasks]
    if won and (found := preflight(won, campaign.rules)).has_room:
        return found
    holdout: list[Outcome] = []
    for repeat in range(1, campaign.rules.looks + 1):
        holdout += _sweep(campaign, baseline, Split.HOLDOUT, repeat)
        found = preflight(holdout, campaign.rules)
        if found.next_step is not NextStep.SWEEP_AGAIN:
            break
        campaign.progress.note(found.reason)
    return found


def _sweep(campaign: Campaign, baseline: Variant, split: Split, repeat: int) -> tuple[Outcome, ...]:
    tasks = campaign.shuffle(f"preflight {split} {repeat}", [task.id for task in campaign.suite.split(split)])
    keys = [
        TrialKey(stage=Stage.PREFLIGHT, confirmation="", arm=Arm.BASELINE, variant=baseline.id, task=task, repeat=repeat)
        for task in tasks
    ]
    rows = campaign.evaluator.run(f"baseline on {split}, sweep {repeat}", [(key, baseline) for key in keys])
    return tuple(outcome_of(row) for row in rows.values())


def _told(found: Preflight) -> list[str]:
    return [
        f"baseline on holdout, {gate.gate}: "
        + (f"{float(gate.rate):.0%} pass" if gate.rate is not None else "nothing measured")
        + f", {gate.room} of {gate.tasks} tasks leave room"
        + (f", {gate.missing} of {gate.trials} trials missing" if gate.missing else "")
        for gate in found.gates
    ]
