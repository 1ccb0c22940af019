"""Proposing: a batch of variants, each one independent edit of the current best, refused before any trial where it must be.

Owns which kind of edit is tried, what a proposer is shown, and the refusals that need the record (text seen before, leak);
writing is the proposers', uniting earlier edits is `merging`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from harness.counted import counted
from harness.decision.result import DecisionKind
from harness.edits import Refusal, refused, simplicity, tokens
from harness.ledger.rows import call_rows, given_up_rows
from harness.ledger.schema import EventRow, TrialRow, VariantRow
from harness.merging import Candidate, Merged, merged
from harness.operator_history import chosen, history, in_vain, recorded, stuck
from harness.operators import WIDE_RESTARTS, Operator
from harness.ports import DevFailure, Proposal, ProposalRequest, RejectedEdit, TrialEndedError, WorkedExample
from harness.rollout import Ending
from harness.skill import SkillEdit, Variant
from harness.task import Split
from harness.tree import unified
from harness.trial import Stage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.campaign import Campaign

OPERATOR_DRAWN = "operator drawn"
PLATEAU = "plateau"
WORTH_SIMPLIFYING = 1000  # tokens: shorter skills are simplified once they have grown beyond their start
EXAMPLES = 3  # dev references shown to the operator that works from them


def propose_batch(campaign: Campaign, baseline: Variant, size: int) -> tuple[VariantRow, ...]:
    """The open batch filled up to `size` generations; each is written to the ledger as soon as it is there.

    Raises:
        TrialEndedError: the proposer's service is at fault; what was proposed stays.
    """
    rows = campaign.open_batch()
    everything = campaign.variants()
    batch = rows[0].batch if rows else everything[-1].batch + 1
    for generation in range(everything[-1].generation + 1, everything[-1].generation + 1 + size - len(rows)):
        campaign.ledger.add(_proposed(campaign, baseline, generation, batch))
    return tuple(row for row in campaign.variants() if row.batch == batch)


def _proposed(campaign: Campaign, baseline: Variant, generation: int, batch: int) -> VariantRow:
    subject = f"proposal/{campaign.ledger.campaign}/{generation}"
    united = _united(campaign, baseline, generation)
    usable = _usable(campaign, baseline, mergeable=united is not None)
    operator = _operator(campaign, generation, batch, usable)
    if operator is Operator.MERGE and united is not None:
        proposal = _merge(baseline, united, generation)
    else:
        try:
            proposal = campaign.proposer.propose(request_for(campaign, baseline, generation, operator))
        except TrialEndedError as error:
            campaign.ledger.add(*given_up_rows(campaign.ledger, subject, error.calls))
            raise
    campaign.ledger.add(*call_rows(subject, proposal.calls))
    if any(call.cost_usd is None for call in proposal.calls):
        campaign.progress.note("a proposal's price is unknown")
    variant = proposal.variant or Variant(skill=baseline.skill, parent=baseline.id, operator=operator, generation=generation)
    problem = proposal.problem or _refusal(campaign, variant)
    row = campaign.variant_row(variant, batch=batch, proposal=proposal, refused=problem)
    campaign.progress.note(_told(proposal, baseline, generation, problem))
    return row


def _usable(campaign: Campaign, baseline: Variant, *, mergeable: bool) -> list[Operator]:
    """The kinds of edit that there is a use for: nothing is to be simplified in a skill that is short and has not grown."""
    size, start = tokens(baseline.skill.tree), tokens(campaign.variant(campaign.variants()[0]).skill.tree)
    absent = set[Operator]()
    if not mergeable:
        absent.add(Operator.MERGE)
    if size <= start and size <= WORTH_SIMPLIFYING:
        absent.add(Operator.SIMPLIFY)
    return [name for name in Operator if name not in absent]


def _operator(campaign: Campaign, generation: int, batch: int, allowed: Sequence[Operator]) -> Operator:
    """The kind of edit of a generation: drawn once, and written with all that it was drawn by; a fixed mix without memory."""
    if not campaign.memory:
        return allowed[generation % len(allowed)]
    variants, decided = campaign.variants(), campaign.decided()
    earlier = history(variants, decided, {row.key: row for row in campaign.events()}, batch)
    wide = _plateau(campaign, in_vain(variants, decided, batch))
    choice = chosen(earlier, allowed, campaign.ledger.campaign, generation, wide=wide)
    event = campaign.event(f"operator/{generation}", OPERATOR_DRAWN, recorded(choice))
    return Operator(json.loads(event.data)["operator"])


def _plateau(campaign: Campaign, vain: Sequence[int]) -> bool:
    """Whether so many generations in vain are a plateau; it is told once, when it is come upon."""
    if not stuck(vain, campaign.plateau):
        return False
    key = f"plateau/{vain[0]}"
    if campaign.ledger.find(EventRow, key) is None:
        told = (
            f"plateau: no promotion in {counted(len(vain), 'generation')}. From generation {vain[-1] + 1} to the next promotion "
            f"every kind of edit has the same chance whatever it has earned, and {100 * WIDE_RESTARTS:.0f} % are restarts"
        )
        campaign.progress.note(campaign.event(key, PLATEAU, told).data)
    return True


def _united(campaign: Campaign, baseline: Variant, generation: int) -> Merged | None:
    """The union of earlier edits that a merge would be now, if any can be made."""
    if not campaign.memory:
        return None
    rows = campaign.since_promotion()
    found = [
        Candidate(
            generation=row.generation,
            edit=SkillEdit(find=row.find, replace=row.replace, file=row.file),
            effects=tuple((gate["excess"], int(gate["trials"])) for gate in screened["gates"].values()),
        )
        for row in rows
        if not row.refused and not row.parts and (screened := _screened(campaign, row))
    ]
    used = {row.parts for row in rows if row.parts}
    return merged(baseline.skill, found, used, campaign.growth, f"{campaign.ledger.campaign}/{generation}/merge")


def _merge(baseline: Variant, united: Merged, generation: int) -> Proposal:
    names = " and ".join(map(str, united.parts))
    variant = Variant(
        skill=united.skill,
        parent=baseline.id,
        operator=Operator.MERGE,
        rationale=f"The edits of generations {names} together: none won alone.",
        generation=generation,
    )
    return Proposal(variant=variant, find="", replace="", problem="", calls=(), parts=united.parts)


def request_for(campaign: Campaign, baseline: Variant, generation: int, operator: Operator) -> ProposalRequest:
    """All that the proposer may see: dev failures of the baseline and, with memory, the edits tried since the last promotion."""
    dev = {task.id: task for task in campaign.suite.split(Split.DEV)}
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
        operator=operator,
        examples=_examples(campaign, generation) if operator is Operator.EXAMPLES else (),
        growth=campaign.growth,
    )


def _examples(campaign: Campaign, generation: int) -> tuple[WorkedExample, ...]:
    dev = {task.id: task for task in campaign.suite.split(Split.DEV)}
    names: Sequence[str] = campaign.shuffle(f"examples {generation}", sorted(dev))[:EXAMPLES]
    return tuple(
        WorkedExample(task=name, instruction=dev[name].instruction, patch=unified(dev[name].base, dev[name].reference))
        for name in names
    )


def _counts_only(gate: str, reason: str) -> str:
    return reason.split(", first ", maxsplit=1)[0] if gate == "tests" else reason  # a test's name could carry an expected value


def _screened(campaign: Campaign, row: VariantRow) -> dict[str, dict[str, dict[str, float]]]:
    event = campaign.ledger.find(EventRow, f"screen/{row.generation}")
    found: dict[str, dict[str, dict[str, float]]] = json.loads(event.data) if event else {}
    return found


def _tried(campaign: Campaign) -> tuple[RejectedEdit, ...]:
    decided = campaign.decided()
    edits = []
    for row in campaign.since_promotion():
        screened = _screened(campaign, row)
        ended = decided.get(row.generation)
        if row.parts or (ended and ended.decision == DecisionKind.NOT_CONFIRMED):
            continue  # a merge has no edit of its own; one whose place was taken may be proposed again
        near = bool(screened) and not screened["dropped"]
        figures = ", ".join(
            f"{gate} {100 * found['excess'] / found['trials']:+.0f} points on {found['trials']} dev trials"
            for gate, found in screened.get("gates", {}).items()
            if found["trials"]
        )
        edits.append(
            RejectedEdit(find=row.find, replace=row.replace, near_miss=near, figures=figures if near else "", file=row.file)
        )
    return tuple(edits)


def _refusal(campaign: Campaign, variant: Variant) -> str:
    normal = variant.skill.normal
    for row in campaign.variants():
        ended = campaign.decided().get(row.generation)
        if row.refused or (ended and ended.decision == DecisionKind.NOT_CONFIRMED):
            continue
        if campaign.variant(row).skill.normal == normal:
            which = "the baseline" if row.variant == variant.parent else f"generation {row.generation}"
            return refused(Refusal.NO_OP, f"after normalising white space its text is that of {which}")
    return campaign.leaks(variant)


def _told(proposal: Proposal, baseline: Variant, generation: int, problem: str) -> str:
    if problem or proposal.variant is None:
        return f"generation {generation}: not tried, {problem}"
    variant = proposal.variant
    size = simplicity(baseline.skill.tree, variant.skill.tree)
    return f"generation {generation}: {variant.operator}, {size}: {variant.rationale}"


def unusable(error: TrialEndedError) -> str:
    """What is said when the proposer's service failed."""
    return f"the proposer could not be asked ({error.cause}); run the same command again"
