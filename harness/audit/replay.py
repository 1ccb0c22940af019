"""Does it compute again? Votes from raw answers, verdicts from evidence, the table from verdicts, the decision from the table.

And the choice of each generation's operator from what operators had earned by then. Without a decision's name everything is
computed again, A/A shadows and vault tests too.

Needs no network, no key, no model and no container.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness import operator_history
from harness.audit.beside import beside_differences
from harness.audit.votes import kept_personas, panel_rule, vote_differences
from harness.errors import LedgerError
from harness.gates import judge
from harness.ledger.history import find_decision, read_history
from harness.ledger.rows import trial_document, trial_evidence, trial_key
from harness.ledger.schema import CampaignRow, DecisionRow, EventRow, TrialRow, VariantRow
from harness.operators import Operator
from harness.printable import printable
from harness.rollout import Ending

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from harness.ledger.history import Generation, History, Placed
    from harness.ledger.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One answer that does not come out again: of what, as recorded, as computed now."""

    of: str
    recorded: str
    computed: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """What was computed again, and every difference."""

    trials: int
    decisions: int
    votes: int
    differences: tuple[Difference, ...]

    @property
    def same(self) -> bool:
        """Whether everything came out as recorded."""
        return not self.differences


def replay(store: Store, name: str = "") -> Replay:
    """Compute one decision again, with its trials; or everything in the ledger when no name is given.

    Raises:
        InputError: there is no decision of that name.
        LedgerError: a row cannot be read.
    """
    wanted = _wanted(store, name)
    trials = tuple(trial for _, trials, _ in wanted for trial in trials)
    generations = [generation for _, _, generations in wanted for generation in generations]
    differences = [*_verdicts(store, trials), *(found for generation in generations for found in _decision(generation))]
    voted = [_votes(store, history, trials) for history, trials, _ in wanted]
    differences += [found for _, differing in voted for found in differing]
    differences += [found for history, _, generations in wanted for found in _operators(history, generations)]
    if not name:
        told = (found for history, _, _ in wanted for found in beside_differences(history))
        differences += [Difference(of=of, recorded=recorded, computed=computed) for of, recorded, computed in told]
    decided = sum(generation.record.decision is not None for generation in generations)
    return Replay(trials=len(trials), decisions=decided, votes=sum(count for count, _ in voted), differences=tuple(differences))


_Wanted = tuple["History", tuple["Placed[TrialRow]", ...], tuple["Generation", ...]]


def _wanted(store: Store, name: str) -> list[_Wanted]:
    """What is computed again, by campaign."""
    if name:
        history, generation = find_decision(store, name)
        return [(history, generation.trials, (generation,))]
    histories = [read_history(store, campaign) for campaign in store.campaigns()]
    return [(history, history.placed(TrialRow), history.generations) for history in histories]


def replay_text(found: Replay) -> str:
    """The result in a few lines, for a person."""
    lines = [_told(difference) for difference in found.differences]
    votes = f", {found.votes} votes" if found.votes else ""
    checked = f"{found.trials} trials{votes} and {found.decisions} decision{'' if found.decisions == 1 else 's'} computed again"
    if found.same:
        return f"The same: {checked}."
    return "\n".join([*lines, f"{len(lines)} differences: {checked}."])


def _told(difference: Difference) -> str:
    recorded, computed = printable(difference.recorded), printable(difference.computed)
    return f"{printable(difference.of, lines=False)}\n  recorded: {recorded}\n  computed: {computed}"


def _verdicts(store: Store, trials: Iterable[Placed[TrialRow]]) -> Iterator[Difference]:
    for placed in trials:
        row = placed.row
        try:
            verdicts = judge(Ending(row.ending), row.cause, trial_evidence(row, store.blobs.get))
        except LedgerError as error:
            yield Difference(of=f"trial {row.key}", recorded="three verdicts", computed=str(error))
            continue
        for verdict in verdicts:
            recorded = f"{row.verdicts.get(verdict.gate)}: {row.reasons.get(verdict.gate)}"
            computed = f"{verdict.outcome}: {verdict.reason}"
            if recorded != computed:
                yield Difference(of=f"trial {row.key}, {verdict.gate}", recorded=recorded, computed=computed)


def _votes(store: Store, history: History, trials: Iterable[Placed[TrialRow]]) -> tuple[int, list[Difference]]:
    """How many votes were computed again, and what differs; none where the campaign kept no reviewer files."""
    if not history.placed(CampaignRow):
        return 0, []
    count, found = 0, list[Difference]()
    try:
        personas = kept_personas(store, history.settings)
    except LedgerError as error:
        return 0, [Difference(of="reviewer files", recorded="kept", computed=str(error))]
    if not personas:
        return 0, []
    rule = panel_rule(history.settings)
    for placed in trials:
        try:
            document = trial_document(placed.row, store.blobs.get)
        except LedgerError:
            continue  # told with its verdicts
        if document.review:
            count += len(document.review.votes)
            told = vote_differences(trial_key(placed.row), document, personas, rule)
            found += [Difference(of=f"trial {placed.row.key}, {of}", recorded=old, computed=new) for of, old, new in told]
    return count, found


def _operators(history: History, generations: Iterable[Generation]) -> Iterator[Difference]:
    """The operators of generations that had one drawn."""
    variants = [placed.row for placed in history.placed(VariantRow)]
    decided = {placed.row.generation: placed.row for placed in history.placed(DecisionRow)}
    events = {placed.row.key: placed.row for placed in history.placed(EventRow)}
    batches = {row.generation: row.batch for row in variants}
    limit = _plateau(history)
    for number in sorted({generation.decision.row.generation for generation in generations}):
        event = events.get(f"operator/{number}")
        if event is not None and number in batches:
            earlier = operator_history.history(variants, decided, events, batches[number])
            allowed = map(Operator, json.loads(event.data)["draws"])
            wide = operator_history.stuck(operator_history.in_vain(variants, decided, batches[number]), limit)
            again = operator_history.recorded(operator_history.chosen(earlier, allowed, history.campaign, number, wide=wide))
            if again != event.data:
                yield Difference(of=f"generation {number}, its operator", recorded=event.data, computed=again)


def _plateau(history: History) -> int:
    """Generations in vain after which the campaign's mix widens; 0 for one that was begun before there was such a limit."""
    settings = json.loads(history.settings.settings) if history.placed(CampaignRow) else {}
    return int(settings.get("proposer", {}).get("plateau", 0))


def _decision(generation: Generation) -> Iterator[Difference]:
    record, row = generation.record, generation.decision.row
    decision = record.decision
    if decision is None:
        return
    if not record.states(decision):
        yield Difference(of=f"decision {row.id}", recorded=str(record.result), computed=f"{decision.kind}: {decision.reason}")
    # A win that no trial shows to be the variant's own is recorded as invalid, whatever its table gives.
    if row.decision != decision.kind and not (row.decision == "invalid" and dict(record.hashes).get("loaded") == "0"):
        yield Difference(of=f"decision {row.id}, its row", recorded=row.decision, computed=decision.kind)
    yield from _table(generation)


def _table(generation: Generation) -> Iterator[Difference]:
    """The record's table against the trials that it was made from, those of a stored baseline arm among them.

    Later confirmations may have added sweeps to an arm: what lies beyond the record's last look was not in it.
    """
    looks = max((outcome.repeat for outcome in generation.record.outcomes), default=0)
    own = [(placed.row.arm, placed.row) for placed in generation.trials if placed.row.confirmation]
    borrowed = [("baseline", placed.row) for placed in generation.borrowed]
    passed = {"pass": True, "fail": False}
    trials = {
        (arm, row.task, row.repeat): tuple(passed.get(row.verdicts[gate]) for gate in ("tests", "style", "review"))
        for arm, row in own + borrowed
        if row.repeat <= looks
    }
    outcomes = {
        (str(outcome.arm), outcome.task, outcome.repeat): (outcome.tests, outcome.style, outcome.review)
        for outcome in generation.record.outcomes
    }
    for key in sorted(trials.keys() | outcomes.keys()):
        if trials.get(key) != outcomes.get(key):
            place = f"decision {generation.decision.row.id}, {key[0]} on {key[1]}, repeat {key[2]}"
            yield Difference(of=place, recorded=f"in the table {outcomes.get(key)}", computed=f"in the trials {trials.get(key)}")
