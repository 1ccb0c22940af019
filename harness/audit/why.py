"""Why one decision came out as it did, in one screen: rule, comparisons, change, tasks, votes, cost, and what could bias it."""

from __future__ import annotations

import json
import textwrap
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.counted import counted
from harness.decision.looks import levels
from harness.decision.scorecard import Table
from harness.decision.wording import LUCK_OF, luck, often, points, retries
from harness.edits import simplicity
from harness.errors import LedgerError
from harness.ledger.history import find_decision
from harness.ledger.rows import trial_document, unpack_tree
from harness.ledger.schema import CallRow
from harness.printable import printable
from harness.proposing import PLATEAU
from harness.tree import difference
from harness.trial import Arm

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.decision.result import Decision, GateResult
    from harness.ledger.history import Generation, History
    from harness.ledger.store import Store
    from harness.tree import Tree

MOST_TASKS = 6
MOST_QUOTES = 4
MOST_CHANGED = 14
_WIDE = 110


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A heading with its lines."""

    title: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """The answer, section by section."""

    title: str
    reason: str
    sections: tuple[Section, ...]


def why(store: Store, name: str) -> Why:
    """The answer for one decision, by its id or its generation.

    Raises:
        InputError: there is no decision of that name.
        LedgerError: a row cannot be read.
    """
    history, generation = find_decision(store, name)
    row, decision = generation.decision.row, generation.record.decision
    sections = (
        Section(title="Rule", lines=tuple(_rule(generation))),
        Section(title="Proposed", lines=tuple(_proposed(history, generation))),
        Section(title="Gates", lines=tuple(map(gate_line, decision.gates)) if decision else ("no holdout trial was run",)),
        Section(title="Changed in the skill", lines=tuple(changed_lines(store, history, generation))),
        Section(title="Tasks", lines=tuple(_tasks(generation, decision)) if decision else ()),
        Section(title="Findings quoted", lines=tuple(_quotes(store, generation))),
        Section(title="Cost", lines=(_cost(generation),)),
        Section(title="What could bias it", lines=tuple(_biases(history, generation))),
    )
    return Why(
        title=f"{row.id}: generation {row.generation}, {row.decision}",
        reason=row.reason,
        sections=tuple(section for section in sections if section.lines),
    )


def why_text(answer: Why) -> str:
    """The answer as text of at most 110 columns, for a person."""
    lines = [printable(answer.title, lines=False), *textwrap.wrap(printable(answer.reason, lines=False), _WIDE)]
    for section in answer.sections:
        lines += ["", section.title, *(part for line in section.lines for part in wrapped(line))]
    return "\n".join(lines)


def _rule(generation: Generation) -> Iterator[str]:
    rules, confirmation = generation.record.rules, generation.confirmation
    if rules is None:
        yield "decided before any holdout trial; no error was spent"
        return
    allowed = " ".join(f"{level:.5f}" for level in levels(rules.alpha, rules.looks))
    yield f"all three gates must beat at level {allowed} (alpha {rules.alpha:g} over {counted(rules.looks, 'look')})"
    if confirmation:
        spent = f"confirmation {confirmation.row.number} on this holdout, sum of alpha {confirmation.row.alpha_sum:.2f}"
        yield f"{spent}, registered in entry {confirmation.seq} before its first trial"


def _proposed(history: History, generation: Generation) -> Iterator[str]:
    """By which kind of edit, and how that kind came to be chosen."""
    event = history.event(f"operator/{generation.number}")
    if event is None or generation.variant is None:
        return
    drawn = json.loads(event.row.data)
    how = "on a plateau, each with the same chance" if drawn.get("wide") else "by what each had earned"
    yield f"{generation.variant.row.operator}, drawn {how}, among {', '.join(drawn['draws'])}"
    yield from (placed.row.data for placed in history.events(PLATEAU) if drawn.get("wide") and placed.seq < event.seq)


def gate_line(gate: GateResult) -> str:
    """One gate's comparison on one line: rates, effect, tasks each way, and luck against what is allowed."""
    look = next((look for look in gate.looks if look.look == gate.beaten_at), gate.last)
    shown, allowed = luck(look.p, look.level)
    before, after = (f"{float(rate or 0):.0%}".replace("%", " %") for rate in (gate.baseline_rate, gate.variant_rate))
    moved = f"{gate.gate:<6} {gate.status:<9} {before} to {after}, {points(gate.delta or 0, signed=True)}"
    tasks = f"{counted(gate.better, 'task')} better, {gate.worse} worse, {gate.same} same"
    return f"{moved}; {tasks}; luck {often(shown)} in {LUCK_OF:,}, {allowed:,} allowed at look {look.look}"


def changed_lines(store: Store, history: History, generation: Generation) -> Iterator[str]:
    """The lines that a generation took from the skill and added to it, signed, at most MOST_CHANGED of them."""
    row = generation.decision.row
    old, new = (_tree(store, history, variant) for variant in (row.baseline, row.variant))
    if old is None or new is None:
        yield "the texts are not in this ledger"
        return
    yield f"size: {simplicity(old, new)}"
    lines = [
        f"{sign} {line}"
        for change in difference(old, new)
        for sign, file, other in (("-", change.old, change.new), ("+", change.new, change.old))
        for line in _only_in(file.text if file else "", other.text if other else "")
    ]
    yield from lines[:MOST_CHANGED] or ("nothing",)
    if len(lines) > MOST_CHANGED:
        yield f"and {counted(len(lines) - MOST_CHANGED, 'more line')}"


def _only_in(text: str, other: str) -> list[str]:
    known = set(other.splitlines())
    return [line for line in text.splitlines() if line not in known and line.strip()]


def _tree(store: Store, history: History, variant: str) -> Tree | None:
    row = history.variant(variant)
    try:
        return unpack_tree(store.blobs.get(row.tree_blob)) if row and row.tree_blob else None
    except LedgerError:
        return None


def _tasks(generation: Generation, decision: Decision) -> Iterator[str]:
    """Which tasks flipped each way, by gate, largest first."""
    table = Table.of(generation.record.outcomes)
    for gate in decision.gates:
        scores = table.scorecard(gate.gate, decision.look).tasks
        for name, wanted in (("better", 1), ("worse", -1)):
            moved = sorted((-abs(it.variant - it.baseline), it.task) for it in scores if (it.variant - it.baseline) * wanted > 0)
            if moved:
                rest = f" and {len(moved) - MOST_TASKS} more" if len(moved) > MOST_TASKS else ""
                yield f"{gate.gate} {name}: {', '.join(task for _, task in moved[:MOST_TASKS])}{rest}"


def _quotes(store: Store, generation: Generation) -> Iterator[str]:
    """What reviewers held against the variant, each finding once, in an order that does not depend on which trial ended first."""
    seen: set[tuple[str, str]] = set()
    for placed in sorted(generation.trials, key=lambda it: it.row.key):
        if placed.row.arm != "variant" or placed.row.verdicts.get("review") != "fail":
            continue
        try:
            review = trial_document(placed.row, store.blobs.get).review
        except LedgerError as error:
            yield str(error)
            continue
        for vote in review.votes if review else ():
            for item in vote.items:
                if item.failed and item.supported and (vote.reviewer, item.quote) not in seen and len(seen) < MOST_QUOTES:
                    seen.add((vote.reviewer, item.quote))
                    yield f"{vote.reviewer} on {placed.row.task}, {item.id}: “{item.quote}”: {item.finding}"


def _cost(generation: Generation) -> str:
    costs = [placed.row.cost_usd for placed in generation.calls]
    known = sum(cost for cost in costs if cost is not None)
    unknown = sum(cost is None for cost in costs)
    told = f"${known:.2f} for {counted(len(generation.trials), 'trial')} and {counted(len(costs), 'call')}"
    return f"{told}; the price of {counted(unknown, 'call')} is unknown" if unknown else told


def tried_again(generation: Generation) -> str:
    """Trials that were tried again, in words, by the arm that they are of here: borrowed ones are the baseline's."""
    arms = [(Arm(placed.row.arm), placed.row) for placed in generation.trials if placed.row.confirmation]
    arms += [(Arm.BASELINE, placed.row) for placed in generation.borrowed]
    of, again = Counter(arm for arm, _ in arms), Counter(arm for arm, row in arms if row.attempts > 1)
    return retries(again[Arm.BASELINE], again[Arm.VARIANT], max(of.values(), default=0))


def _biases(history: History, generation: Generation) -> Iterator[str]:
    trials = [placed.row for placed in generation.trials if placed.row.confirmation]
    flagged = sum(bool(row.flags) for row in trials)
    missing = sum("missing" in row.verdicts.values() for row in trials)
    unread = sum(not row.loaded for row in trials if row.ending == "finished")
    if history.settings.rehearsal:
        yield "REHEARSAL: no model was called; this says nothing about the skill"
    if missing:
        yield f"missing for causes of ours: {missing} of {counted(len(trials), 'trial')}"
    if told := tried_again(generation):
        yield told
    if flagged:
        yield f"flagged: {flagged} of {counted(len(trials), 'trial')}"
    if unread:
        yield f"{counted(unread, 'finished trial does', 'finished trials do')} not show that the agent was given the skill"
    coders = {placed.row.model for placed in history.placed(CallRow) if placed.row.role == "coder"}
    own = {vote.row.reviewer for row in trials for vote in history.votes.get(row.key, ()) if vote.row.model in coders}
    if own and not history.settings.rehearsal:
        yield f"{', '.join(sorted(own))} run on the agent's own model"
    if generation.won:
        yield "the effects come from the data that decided, so they flatter a little"


def wrapped(line: str) -> list[str]:
    """A line as indented lines of at most 110 columns."""
    shown = printable(line, lines=False)
    return textwrap.wrap(shown, _WIDE, initial_indent="  ", subsequent_indent="      ", break_on_hyphens=False)
