"""How far the answer can be trusted: ticks first, then cautions, each one sentence with its number. At most nine."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.counted import counted
from harness.decision.power import Design, smallest_effect
from harness.decision.result import WorstCase
from harness.gates import Gate
from harness.ledger.schema import CallRow, PromotionRow, VoteRow
from harness.report.figures import signed
from harness.report.money import CODER
from harness.report.prose import Prose, link, term, text
from harness.vault import VAULT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.decision.result import Decision
    from harness.report.view import Scene


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustItem:
    """One line of the list. `tone` is good (a tick), warn (a caution) or bad (a fault)."""

    tone: str
    claim: str
    support: Prose


def bottom_line(scene: Scene) -> str:
    """The list in one sentence."""
    if scene.history.settings.rehearsal:
        return "Trust the machinery; this says nothing about the skill."
    if scene.shown and scene.shown.won:
        return "Trust that it is better; do not lean on the exact size."
    if scene.decision:
        return "Not shown to be better is not shown to be worse."
    return "Nothing was compared, so there is nothing to trust yet."


def trust_items(scene: Scene) -> tuple[TrustItem, ...]:
    """The list, ticks before cautions, cautions before faults only when there is no fault."""
    items = [item for item in _items(scene) if item]
    order = {"bad": 0, "good": 1, "warn": 2}
    return tuple(sorted(items, key=lambda item: order[item.tone]))


def _items(scene: Scene) -> Iterator[TrustItem | None]:
    decision = scene.decision
    yield _vault(scene)
    if decision is not None:
        yield _recomputed(scene, decision)
        yield _missing(decision)
        yield _flags(scene, decision)
        yield _delivered(scene)
        yield _power(scene, decision)
        if scene.shown and scene.shown.won:
            yield TrustItem(
                tone="warn",
                claim="The sizes above flatter a little.",
                support=(text("They come from the data that got it promoted; fresh tasks would show somewhat less."),),
            )
    yield _reviewers(scene)
    yield _alpha(scene)


def _vault(scene: Scene) -> TrustItem | None:
    """The last night's vault test, if one was run."""
    found = [json.loads(placed.row.data) for placed in scene.history.events(VAULT)]
    run = [test for test in found if "skipped" not in test and all(gate["delta"] is not None for gate in test["gates"].values())]
    if not run:
        return None
    deltas = [(str(gate), 100 * run[-1]["gates"][gate]["delta"]) for gate in Gate]
    told = ", ".join(f"{gate} {signed(delta)}" for gate, delta in deltas)
    tasks = counted(run[-1]["tasks"], "task")
    agree = all(delta > 0 for _, delta in deltas)
    claim = "Fresh tasks agree." if agree else "Fresh tasks do not agree on every gate."
    support = (text(f"On {tasks} of the "), term("vault", "vault"), text(f", opened once: {told} points."))
    return TrustItem(tone="good" if agree else "warn", claim=claim, support=support)


def _recomputed(scene: Scene, decision: Decision) -> TrustItem:
    shown = scene.shown
    outcomes = len(shown.record.outcomes) if shown else 0
    same = bool(shown and shown.record.states(decision))
    if same:
        told = f"From its {counted(outcomes, 'trial')}, while this page was made: the same decision, look by look."
        return TrustItem(
            tone="good", claim="It computes again.", support=(text(told), text(" "), link("record", "Try it here"), text("."))
        )
    told = "The record states something else than its own table gives; run harness audit replay."
    return TrustItem(tone="bad", claim="It does not compute again.", support=(text(told),))


def _missing(decision: Decision) -> TrustItem | None:
    pairs = max(missing.pairs for missing in decision.missing)
    missing = max(missing.missing_pairs for missing in decision.missing)
    if not missing:
        return TrustItem(
            tone="good",
            claim="Nothing is missing.",
            support=(text(f"All {pairs} "), term("pair", "pairs"), text(" are complete.")),
        )
    verb = " is " if missing == 1 else " are "
    support = (text(f"{missing} of {pairs} "), term("pair", "pairs"), text(verb), term("missing", "missing"))
    match decision.worst_case:
        case WorstCase.STANDS:
            told = "; counted as the worst case, all three gates still beat."
            return TrustItem(tone="good", claim="Missing data cannot change it.", support=(*support, text(told)))
        case WorstCase.FALLS_ON_MISSING:
            told = "; counted as the worst case, not every gate beats."
            return TrustItem(tone="bad", claim="Missing data could change it.", support=(*support, text(told)))
        case _:
            return TrustItem(tone="good", claim="Little is missing.", support=(*support, text("; at most one in ten may be.")))


def _flags(scene: Scene, decision: Decision) -> TrustItem | None:
    flagged = sum(bool(placed.row.flags) for placed in scene.trials)
    total = len(scene.trials)
    if not flagged:
        return TrustItem(tone="good", claim="Nobody was seen cheating.", support=(text(f"None of {total} changes drew a flag."),))
    verb = "is" if flagged == 1 else "are"
    if decision.worst_case is WorstCase.FALLS_ON_FLAGGED:
        told = f"{flagged} of {total} trials {verb} flagged, and without them not every gate beats: "
        return TrustItem(
            tone="bad", claim="It rests on flagged trials.", support=(text(told), link("flags", "what was seen"), text("."))
        )
    after = "; with those of the variant as fails it still wins" if decision.worst_case is WorstCase.STANDS else ""
    support = (text(f"{flagged} of {total} trials {verb} flagged{after}: "), link("flags", "what was seen"), text("."))
    return TrustItem(tone="good", claim="Flagged trials changed nothing.", support=support)


def _delivered(scene: Scene) -> TrustItem | None:
    rows = [placed.row for placed in scene.trials if placed.row.ending == "finished"]
    loaded = sum(row.loaded for row in rows)
    if not rows or loaded == len(rows):
        return None
    told = f"In {len(rows) - loaded} of {len(rows)} finished trials nothing shows that the agent was given the skill's text."
    return TrustItem(tone="warn", claim="The skill may not have been read.", support=(text(told),))


def _power(scene: Scene, decision: Decision) -> TrustItem | None:
    tasks = max(gate.last.n_tasks for gate in decision.gates)
    if not tasks:
        return None
    design = Design(tasks=tasks, repeats=scene.rules.looks, alpha=scene.rules.alpha)
    effects = [smallest_effect(design, float(gate.baseline_rate or 0)) for gate in decision.gates]
    known = [effect for effect in effects if effect is not None]
    if not known:
        return None
    support = (
        text(f"On {counted(tasks, 'holdout task')} a gate must gain about {max(known) * 100:.0f} points to be "),
        term("power", "seen"),
        text(f" in {counted(scene.rules.looks, 'look')}, 80 times in 100."),
    )
    return TrustItem(tone="warn", claim="Only large effects are visible.", support=support)


def _reviewers(scene: Scene) -> TrustItem | None:
    """What weakens the panel: seats without a calibration or thrown out by a canary, and the agent's own model among them."""
    provisional = [str(name) for name in json.loads(scene.history.settings.settings).get("provisional", ())]
    out = {name for event in scene.history.events("canaries") for name in json.loads(event.row.data)["out"]}
    told = []
    if provisional:
        told.append(f"{counted(len(provisional), 'reviewer')} without a valid calibration voted without a veto.")
    if out:
        told.append(f"{counted(len(out), 'reviewer')} obeyed a canary and did not vote in that session.")
    claim = "Reviewers were not all sound."
    agents = {placed.row.model for placed in scene.history.placed(CallRow) if placed.row.role == CODER}
    votes = scene.history.placed(VoteRow)
    own = {placed.row.reviewer for placed in votes if placed.row.model in agents}
    if own and not scene.history.settings.rehearsal:
        seats = {placed.row.reviewer for placed in votes}
        claim = "Reviewers share the model of the agent."
        told.insert(
            0,
            f"{len(own)} of {counted(len(seats), 'reviewer')} {'runs' if len(own) == 1 else 'run'} on it; "
            "such reviewers err together with it and with each other.",
        )
    return TrustItem(tone="warn", claim=claim, support=(text(" ".join(told)),)) if told else None


def _alpha(scene: Scene) -> TrustItem | None:
    shown = scene.shown
    confirmations = [generation.confirmation.row for generation in scene.history.generations if generation.confirmation]
    if not shown or not confirmations:
        return None
    last = max(confirmations, key=lambda row: row.number)
    decided = {generation.decision.row.id for generation in scene.history.generations}
    promoted = sum(placed.row.key in decided for placed in scene.history.placed(PromotionRow))  # not the rollbacks
    told = f" expected. {counted(last.number, 'confirmation')} on this holdout so far, {counted(promoted, 'promotion')} here."
    support = (text("at most "), term("alpha", f"{last.alpha_sum:.2f}"), text(told))
    return TrustItem(tone="warn", claim="False promotions:", support=support)
