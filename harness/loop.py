"""The loop: propose, screen, confirm, decide, record, promote. The product on one screen.

Every step looks into the ledger before it acts, so running it again after any end goes on where it stopped.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from harness.approval import APPROVED, asked, waiting
from harness.budget import BudgetSpentError
from harness.campaign import RUN_BEGAN, short_id
from harness.confirming import confirm
from harness.controls import run_controls
from harness.decision.record import to_json
from harness.decision.result import DecisionKind
from harness.decision.screen import MOST_CONFIRMED, rank_survivors
from harness.errors import IncompleteError, InputError, ServiceUnavailableError
from harness.holdout_use import holdout_use, rotations_due
from harness.ledger.schema import DecisionRow, EventRow, PromotionRow
from harness.ports import TrialEndedError
from harness.preflight import run_preflight
from harness.proposing import propose_batch, unusable
from harness.screening import run_screen
from harness.shadowing import run_shadows
from harness.task import Split
from harness.vault import run_vault, vault_trials

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.campaign import Campaign
    from harness.decision.record import DecisionRecord
    from harness.decision.screen import ScreenResult
    from harness.ledger.schema import VariantRow
    from harness.skill import Variant


ROTATED = "holdout rotated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """Why a run ended, the generations that it decided, and whether the plan was carried out in full."""

    reason: str
    generations: tuple[int, ...]
    complete: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclusion:
    """How one generation ends: at which stage, which decision and why; from a confirmation also its id and record."""

    stage: str
    kind: DecisionKind
    reason: str
    confirmation: str = ""
    record: DecisionRecord | None = None


def evolve(campaign: Campaign, generations: int | None) -> Ended:
    """Run until `generations` more are decided (for ever when None), or a limit of the budget is reached.

    A run that was cut is gone on with; its generations count from where it began.

    A promotion that waits for a person ends the run: everything after it would be made from a baseline that is about to go.

    Raises:
        IncompleteError: nothing could be decided.
        ServiceUnavailableError: the proposer's service is at fault.
    """
    if waits := waiting(campaign.ledger):
        raise IncompleteError(f"nothing was tried: {_waits(waits[0])}")
    campaign.publish(campaign.baseline())
    run, first = _begun(campaign)
    start = campaign.by_id(campaign.event(f"run/{run}/start", "night's first baseline", _first_baseline(campaign, run)).data)
    last = None if generations is None else first + generations - 1
    campaign = _on_fresh_holdout(campaign, run)
    try:
        run_controls(campaign, campaign.variant(campaign.variants()[0]))
        run_shadows(campaign)  # one that was cut is gone on with before the baseline can move
        while last is None or (done := len(campaign.variants()) - 1) < last or campaign.open_batch():
            campaign.keep_back(vault_trials(campaign, start))
            size = campaign.batch if last is None else min(campaign.batch, len(campaign.open_batch()) + last - done)
            run_batch(campaign, size)
            if waiting(campaign.ledger):
                break
            run_shadows(campaign)
    except BudgetSpentError as error:
        decided = sum(generation >= first for generation in campaign.decided())
        of = "" if generations is None else f" of {generations}"
        ended = _ended(campaign, first, f"{error}; generations decided: {decided}{of}; {error.then}", complete=False)
    except TrialEndedError as error:
        raise ServiceUnavailableError(unusable(error)) from error
    else:
        waits = waiting(campaign.ledger)
        reason = _waits(waits[0]) if waits else f"generations decided: {generations} of {generations}"
        ended = _ended(campaign, first, reason, complete=True)
    return _night_over(campaign, run, start, ended)


def _on_fresh_holdout(campaign: Campaign, run: int) -> Campaign:
    """The campaign on this run's holdout: what is worn is exchanged when a run begins, never within one.

    Raises:
        InputError: tasks that were exchanged for others are asked for again, since the reserve lacks those others now.
    """
    before = max((int(row.data) for row in campaign.events() if row.name == ROTATED), default=0)
    due = max(before, rotations_due(campaign.ledger, campaign.suite))
    if before or campaign.suite.split(Split.RESERVE):
        due = int(campaign.event(f"run/{run}/holdout rotation", ROTATED, str(due)).data)
    suite = campaign.suite.rotated(due)
    if suite is None:
        raise InputError(f"the holdout was rotated {due} times, and [suite] reserve has too few tasks for that; put them back")
    if due > before:
        fresh = {task.id for task in suite.split(Split.HOLDOUT)} - {task.id for task in campaign.suite.split(Split.HOLDOUT)}
        campaign.progress.note(
            f"holdout rotated: {len(fresh)} of its {len(suite.split(Split.HOLDOUT))} tasks come from the reserve"
        )
    if use := holdout_use(campaign.ledger, suite.holdout_hash).warning:
        campaign.progress.note(campaign.event(f"run/{run}/holdout", "holdout worn", use).data)
    return replace(campaign, suite=suite)


def _night_over(campaign: Campaign, run: int, start: Variant, ended: Ended) -> Ended:
    """The vault test, with what was kept back for it, and the run's end; a test that is cut leaves the run to be gone on with."""
    campaign.keep_back(0)
    try:
        run_vault(campaign, run, start)
    except BudgetSpentError as error:
        told = ended.reason.removesuffix(f"; {error.then}")
        return replace(ended, reason=f"{told}; the vault test was cut: {error}; {error.then}", complete=False)
    campaign.ledger.add(EventRow(key=f"run/{run}/end", name="run ended", data=ended.reason))
    return ended


def compare(campaign: Campaign, variant: Variant) -> DecisionRow:
    """One decision on a given variant against the campaign's start, straight on holdout; the baseline is not moved.

    Raises:
        BudgetSpentError: a limit of the run is reached; the same command goes on from there.
    """
    campaign.ledger.add(campaign.variant_row(variant, batch=1))
    row = campaign.variants()[1]
    decided = campaign.decided().get(row.generation)
    return decided or _decide(campaign, row, _concluded(campaign, campaign.baseline(), row))


def run_batch(campaign: Campaign, size: int) -> None:
    """One batch from proposals to decisions; the first promotion ends it."""
    begun = campaign.open_batch()
    baseline = campaign.by_id(begun[0].parent) if begun else campaign.baseline()
    dev = run_preflight(campaign, baseline)
    rows = propose_batch(campaign, baseline, size)
    for row in rows:
        if row.refused:
            _decide(campaign, row, Conclusion(stage="proposal", kind=DecisionKind.REJECT, reason=f"Not tried: {row.refused}."))
    variants = {row.generation: campaign.variant(row) for row in rows if not row.refused}
    screened = run_screen(campaign, rows[0].batch, tuple(variants.values()), dev)
    for row in rows:
        if row.generation in screened and screened[row.generation].dropped:
            dropped = Conclusion(stage="screen", kind=DecisionKind.REJECT, reason=screened[row.generation].reason)
            _decide(campaign, row, dropped)
    by_generation = {row.generation: row for row in rows}
    survivors = [by_generation[int(name)] for name in rank_survivors({f"{g:09d}": result for g, result in screened.items()})]
    _confirm_best(campaign, baseline, survivors, screened)


def _confirm_best(
    campaign: Campaign, baseline: Variant, survivors: Sequence[VariantRow], screened: dict[int, ScreenResult]
) -> None:
    promoted = False
    for row in survivors[:MOST_CONFIRMED]:
        if promoted:
            break
        decided = campaign.decided().get(row.generation) or _confirmed(campaign, baseline, row)
        promoted = decided.decision == DecisionKind.PROMOTE
    decided_now = campaign.decided()
    for row in survivors:
        if row.generation not in decided_now:
            place = "a better one of its batch was promoted" if promoted else "two better ones of its batch had its place"
            reason = f"Not confirmed: {place}. {screened[row.generation].reason} It may be proposed again."
            _decide(campaign, row, Conclusion(stage="screen", kind=DecisionKind.NOT_CONFIRMED, reason=reason))


def _confirmed(campaign: Campaign, baseline: Variant, row: VariantRow) -> DecisionRow:
    decided = _decide(campaign, row, _concluded(campaign, baseline, row), promote=True)
    if decided.decision == DecisionKind.PROMOTE and not campaign.approve:
        campaign.publish(campaign.by_id(decided.variant))
    return decided


def _concluded(campaign: Campaign, baseline: Variant, row: VariantRow) -> Conclusion:
    context = {"baseline": baseline.id, "variant": row.variant, "suite": campaign.suite.hash}
    confirmation, record = confirm(campaign, baseline, campaign.variant(row), context)
    kind, reason = record.decision.kind, record.decision.reason
    if kind is DecisionKind.PROMOTE and dict(record.context)["loaded"] == "0":
        kind, reason = (
            DecisionKind.INVALID,
            "No answer: no trial shows that the agent was given this variant; check the delivery.",
        )
    return Conclusion(stage="confirm", kind=kind, reason=reason, confirmation=confirmation, record=record)


def _decide(campaign: Campaign, row: VariantRow, end: Conclusion, *, promote: bool = False) -> DecisionRow:
    """Write a generation's decision, and in the same transaction the promotion that follows from it where one may."""
    decided = DecisionRow(
        key=row.key,
        id=short_id(campaign.ledger.campaign, "decision", row.generation),
        generation=row.generation,
        confirmation=end.confirmation,
        baseline=row.parent,
        variant=row.variant,
        decision=str(end.kind),
        stage=end.stage,
        reason=end.reason,
        record=to_json(end.record) if end.record else json.dumps({"stage": end.stage}),
        right=_right(campaign, row, end.kind),
    )
    moved = PromotionRow(key=decided.id, generation=row.generation, old=row.parent, new=row.variant, reason=end.reason)
    follows = asked(decided) if campaign.approve else moved
    campaign.ledger.add(decided, *((follows,) if promote and end.kind is DecisionKind.PROMOTE else ()))
    campaign.progress.note(f"generation {row.generation}: {end.kind}. {end.reason}")
    return decided


def _right(campaign: Campaign, row: VariantRow, kind: DecisionKind) -> bool | None:
    """Whether the decision agrees with the rehearsal's known truth; None with a live model, or where nothing was claimed."""
    truths = {other.variant: other.truth for other in campaign.variants()}
    if not row.truth or not truths[row.parent] or row.refused or kind is DecisionKind.NOT_CONFIRMED:
        return None
    pairs = zip(row.truth.split(), truths[row.parent].split(), strict=True)
    better = all(float(new) > float(old) for new, old in pairs)
    return better is (kind is DecisionKind.PROMOTE)


def _begun(campaign: Campaign) -> tuple[int, int]:
    """The run's number and its first generation: an unfinished run is gone on with, as is a batch that a limit left open."""
    run = campaign.night
    if run and not campaign.ledger.find(EventRow, f"run/{run}/end"):
        return run, int(campaign.event(f"run/{run}", RUN_BEGAN, "").data)
    decided = campaign.decided()
    undecided = [row.generation for row in campaign.open_batch() if row.generation not in decided]
    first = min(undecided, default=campaign.variants()[-1].generation + 1)
    campaign.event(f"run/{run + 1}", RUN_BEGAN, str(first))
    return run + 1, first


def _waits(decided: DecisionRow) -> str:
    return f"generation {decided.generation} waits for a person: harness promote {decided.id}"


def _first_baseline(campaign: Campaign, run: int) -> str:
    """What the vault test compares with: where a person has said yes since the last run's end, that run's start."""
    events, end = campaign.events(), f"run/{run - 1}/end"
    since = events[next((place for place, row in enumerate(events) if row.key == end), len(events)) :]
    began = campaign.ledger.find(EventRow, f"run/{run - 1}/start")
    return began.data if began and any(row.name == APPROVED for row in since) else campaign.baseline().id


def _ended(campaign: Campaign, first: int, reason: str, *, complete: bool) -> Ended:
    generations = tuple(generation for generation in campaign.decided() if generation >= first)
    if not generations:
        raise IncompleteError(f"nothing was decided: {reason}")
    return Ended(reason=reason, generations=generations, complete=complete)
