"""All generations in order, and a card for each that was not promoted: its reason, its gates, its looks, its change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.counted import counted
from harness.printable import printable
from harness.report.answer import PILLS, truth_of
from harness.report.diffs import FileDiff, skill_diff
from harness.report.gates import GateTable, LookRow, LooksView, gate_table, look_rows, looks_views
from harness.report.money import step_of

if TYPE_CHECKING:
    from harness.ledger.history import Generation
    from harness.report.view import Scene

MOST_OF_A_SENTENCE = 160


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationRow:
    """One line of the table. `rail` are the classes of the line of descent beside it."""

    number: int
    place: str
    tried: str
    operator: str
    reason: str
    reached: str
    pill: tuple[str, str, str]
    cost: str
    rail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """One generation that was not promoted, in full."""

    number: int
    pill: tuple[str, str, str]
    summary: str
    cost: str
    reason: str
    truth: str
    gates: GateTable | None
    looks: tuple[LooksView, ...]
    rows: tuple[LookRow, ...]
    diff: tuple[FileDiff, ...]


def generation_rows(scene: Scene) -> tuple[GenerationRow, ...]:
    """Every decided generation, in the order of decision."""
    rows, moved = [], False
    for generation in scene.history.generations:
        won = generation.won
        amber = generation.decision.row.decision in {"inconclusive", "blocked_saturated", "invalid"}
        rail = ("win" if won else "off") + (" amber" if amber else "") + (" new" if moved else "")
        rows.append(_row(scene, generation, rail))
        moved = moved or won
    return tuple(rows)


def cards(scene: Scene) -> tuple[Card, ...]:
    """The generations that did not win, closest first."""
    return tuple(_card(scene, generation) for generation in scene.by_closeness)


def reached(generation: Generation) -> str:
    """How far it got."""
    decision, rules = generation.record.decision, generation.record.rules
    if decision and rules:
        return f"Holdout, look {decision.look} of {rules.looks}"
    screened = sum(placed.row.stage == "screen" for placed in generation.trials)
    return f"Screen, {counted(screened, 'dev trial')}" if screened else "No trial"


def change_of(scene: Scene, generation: Generation) -> tuple[FileDiff, ...]:
    """What the generation changed in the skill; empty where the ledger does not hold both texts, or must not show them."""
    row = generation.decision.row
    if scene.withheld(generation):
        return ()
    old, new = scene.tree(row.baseline), scene.tree(row.variant)
    return skill_diff(old, new) if old is not None and new is not None else ()


def tried(scene: Scene, generation: Generation) -> str:
    """What it tried, in its proposer's words, cut to a sentence."""
    if scene.withheld(generation):
        return "Not shown: the suite is private"
    words = " ".join(generation.variant.row.rationale.split()) if generation.variant else ""
    if not words:
        return "No reason was given"
    shown = printable(words, lines=False)
    return shown if len(shown) <= MOST_OF_A_SENTENCE else shown[: MOST_OF_A_SENTENCE - 1].rstrip() + "…"


def _row(scene: Scene, generation: Generation, rail: str) -> GenerationRow:
    return GenerationRow(
        number=generation.number,
        place="answer" if generation is scene.shown else f"g{generation.number}",
        tried=tried(scene, generation),
        operator=printable(generation.variant.row.operator, lines=False) if generation.variant else "",
        reason=printable(scene.reason(generation)),
        reached=reached(generation),
        pill=_pill(generation),
        cost=scene.costs.of_step(step_of(generation)),
        rail=rail,
    )


def _card(scene: Scene, generation: Generation) -> Card:
    decision, rules = generation.record.decision, generation.record.rules
    return Card(
        number=generation.number,
        pill=_pill(generation),
        summary=tried(scene, generation),
        cost=scene.costs.of_step(step_of(generation)),
        reason=printable(scene.reason(generation)),
        truth=truth_of(scene, generation),
        gates=gate_table(decision) if decision else None,
        looks=looks_views(decision, rules) if decision and rules else (),
        rows=look_rows(decision, rules) if decision and rules else (),
        diff=change_of(scene, generation),
    )


def _pill(generation: Generation) -> tuple[str, str, str]:
    kind = generation.decision.row.decision
    return PILLS.get(kind, (printable(kind, lines=False), "reject", "bar"))
