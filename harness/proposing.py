"""Proposing: a batch of variants, each one independent edit of the current best, refused before any trial where it must be.

Owns the refusals (unusable answer, text seen before, leak) and what a proposer is shown; writing is the proposers'.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from harness.ledger.rows import call_rows
from harness.ledger.schema import EventRow, TrialRow, VariantRow
from harness.ports import DevFailure, Proposal, ProposalRequest, RejectedEdit, TrialEndedError
from harness.rollout import Ending
from harness.skill import Variant
from harness.task import Split
from harness.trial import Stage

if TYPE_CHECKING:
    from harness.campaign import Campaign


def propose_batch(campaign: Campaign, baseline: Variant, size: int) -> tuple[VariantRow, ...]:
    """The open batch filled up to `size` generations; each is written to the ledger as soon as it is there.

    Raises:
        TrialEndedError: the proposer's service is at fault; what was proposed stays.
    """
    rows = campaign.open_batch()
    everything = campaign.variants()
    batch = rows[0].batch if rows else everything[-1].batch + 1
    for generation in range(everything[-1].generation + 1, everything[-1].generation + 1 + size - len(rows)):
        campaign.ledger.add(*_proposed(campaign, baseline, generation, batch))
    return tuple(row for row in campaign.variants() if row.batch == batch)


def _proposed(campaign: Campaign, baseline: Variant, generation: int, batch: int) -> tuple[VariantRow, ...]:
    proposal = campaign.proposer.propose(request_for(campaign, baseline, generation))
    campaign.ledger.add(*call_rows(f"proposal/{campaign.ledger.campaign}/{generation}", proposal.calls))
    if any(call.cost_usd is None for call in proposal.calls):
        campaign.progress.note("a proposal's price is unknown")
    variant = proposal.variant or Variant(skill=baseline.skill, parent=baseline.id, operator="none", generation=generation)
    refused = proposal.problem or _refusal(campaign, variant)
    row = campaign.variant_row(variant, batch=batch, find=proposal.find, replace=proposal.replace, refused=refused)
    campaign.progress.note(_told(proposal, generation, refused))
    return (row,)


def request_for(campaign: Campaign, baseline: Variant, generation: int) -> ProposalRequest:
    """All that the proposer may see: dev failures of the baseline and, with memory, the edits tried since the last promotion."""
    dev = {task.id for task in campaign.suite.split(Split.DEV)}
    trials = [
        row
        for row in campaign.ledger.rows(TrialRow)
        if row.stage == Stage.PREFLIGHT and row.variant == baseline.id and row.task in dev and row.ending == Ending.FINISHED
    ]
    failures = [
        DevFailure(task=row.task, gate=gate, reason=_counts_only(gate, row.reasons[gate]))
        for row in trials
        for gate, verdict in row.verdicts.items()
        if verdict == "fail"
    ]
    return ProposalRequest(
        generation=generation,
        campaign=campaign.ledger.campaign,
        baseline=baseline,
        failures=tuple(failures),
        rejected=_tried(campaign) if campaign.memory else (),
    )


def _counts_only(gate: str, reason: str) -> str:
    return reason.split(", first ", maxsplit=1)[0] if gate == "tests" else reason  # a test's name could carry an expected value


def _tried(campaign: Campaign) -> tuple[RejectedEdit, ...]:
    decided = campaign.decided()
    edits = []
    for row in campaign.since_promotion():
        event = campaign.ledger.find(EventRow, f"screen/{row.generation}")
        screened = json.loads(event.data) if event else {}
        ended = decided.get(row.generation)
        if ended and ended.decision == "not_confirmed":
            continue  # its place was taken; it may be proposed again
        near = bool(screened) and not screened["dropped"]
        figures = ", ".join(
            f"{gate} {100 * found['excess'] / found['trials']:+.0f} points on {found['trials']} dev trials"
            for gate, found in screened.get("gates", {}).items()
            if found["trials"]
        )
        edits.append(RejectedEdit(find=row.find, replace=row.replace, near_miss=near, figures=figures if near else ""))
    return tuple(edits)


def _refusal(campaign: Campaign, variant: Variant) -> str:
    normal = variant.skill.normal
    for row in campaign.variants():
        ended = campaign.decided().get(row.generation)
        if row.refused or (ended and ended.decision == "not_confirmed"):
            continue
        if campaign.variant(row).skill.normal == normal:
            which = "the baseline" if row.variant == variant.parent else f"generation {row.generation}"
            return f"no-op: after normalising white space its text is that of {which}"
    return campaign.leaks(variant.skill)


def _told(proposal: Proposal, generation: int, refused: str) -> str:
    if refused:
        return f"generation {generation}: not tried, {refused}"
    variant = proposal.variant
    return f"generation {generation}: {variant.operator if variant else ''}: {variant.rationale if variant else ''}"


def unusable(error: TrialEndedError) -> str:
    """What is said when the proposer's service failed."""
    return f"the proposer could not be asked ({error.cause}); run the same command again"
