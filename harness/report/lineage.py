"""The line of descent as a tree: every baseline in the order of its time, with the variants that were tried from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.printable import printable
from harness.report.answer import PILLS

if TYPE_CHECKING:
    from harness.ledger.history import Generation
    from harness.ledger.schema import PromotionRow
    from harness.report.view import Scene


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """A variant that was tried: its number, the part of the page about it, its mark, how it ended, and what a merge unites."""

    number: int
    place: str
    mark: str
    tone: str
    told: str
    parts: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stem:
    """A baseline for as long as it was one: how it came to be, the start of its hash, and what was tried from it."""

    name: str
    content: str
    leaves: tuple[Leaf, ...]


def lineage(scene: Scene) -> tuple[Stem, ...]:
    """The baselines in order. One that a rollback went back to stands once more, with what was tried from it then."""
    history, stems = scene.history, list[Stem]()
    decisions = {generation.decision.row.id for generation in history.generations}
    moves = [(placed.seq, _name(placed.row, decisions), placed.row.new) for placed in history.promotions]
    begins = [(0, "Start", history.start), *moves]
    ends = [seq for seq, _, _ in moves] + [history.head.seq + 1]
    for (begin, name, content), end in zip(begins, ends, strict=True):
        tried = [it for it in history.generations if begin <= it.decision.seq < end]
        stems.append(Stem(name=name, content=content[:10], leaves=tuple(_leaf(scene, it) for it in tried)))
    return tuple(stems)


def _name(row: PromotionRow, decisions: set[str]) -> str:
    return f"Generation {row.generation}" if row.key in decisions else f"Back to generation {row.generation}"


def _leaf(scene: Scene, generation: Generation) -> Leaf:
    row = generation.variant.row if generation.variant else None
    word, tone, mark = PILLS.get(generation.decision.row.decision, (generation.decision.row.decision, "reject", "bar"))
    return Leaf(
        number=generation.number,
        place="answer" if generation is scene.shown else f"g{generation.number}",
        mark=mark,
        tone=tone,
        told=printable(f"{row.operator}, {word}" if row else word, lines=False),
        parts=row.parts if row else (),
    )
