"""What the loop changed in a time, for the people who work under it: every move of the baseline, the rest in sum.

A loop that delivers faster than people understand is only noticed by somebody who reads what it delivered.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from harness.approval import APPROVED, answers
from harness.audit.why import changed_lines, gate_line, wrapped
from harness.counted import counted
from harness.ledger.history import read_history
from harness.ledger.schema import CallRow, TrialRow
from harness.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.ledger.history import History, Placed
    from harness.ledger.schema import PromotionRow
    from harness.ledger.store import Store


def digest(store: Store, since: str = "") -> str:
    """The digest from a day on (UTC, YYYY-MM-DD; everything when empty), as text of at most 110 columns.

    Raises:
        LedgerError: a row cannot be read.
    """
    histories = [read_history(store, name) for name in store.campaigns()]
    moves = [(placed.time, history, placed) for history in histories for placed in history.promotions if placed.time >= since]
    lines = [f"What changed{f' since {since}' if since else ''}: {counted(len(moves), 'move')} of the baseline"]
    for time, history, placed in sorted(moves, key=lambda move: (move[0], move[2].seq)):
        lines += ["", f"{time[:10]}  {_title(history, placed)}"]
        lines += [part for line in _told(store, history, placed) for part in wrapped(line)]
    lines += ["", "All that was tried", *(f"  {line}" for line in _sum(histories, since))]
    return "\n".join(lines)


def _title(history: History, placed: Placed[PromotionRow]) -> str:
    mark = "REHEARSAL: " if history.settings.rehearsal else ""
    generation = next((it for it in history.generations if it.decision.row.id == placed.row.key), None)
    if generation is None:
        return f"{mark}{history.settings.skill}: back to generation {placed.row.generation}"
    what = generation.variant.row.rationale if generation.variant else ""
    return printable(f"{mark}{history.settings.skill}: generation {generation.number} promoted: {what}", lines=False)


def _told(store: Store, history: History, placed: Placed[PromotionRow]) -> Iterator[str]:
    generation = next((it for it in history.generations if it.decision.row.id == placed.row.key), None)
    if generation is None:
        yield f"why: {placed.row.reason}"
        return
    yield from changed_lines(store, history, generation)
    yield from map(gate_line, generation.record.decision.gates if generation.record.decision else ())
    for said in answers((it.row for it in history.events(APPROVED)), placed.row.key):
        yield f"approved by {said}"
    yield f"more: harness audit why {placed.row.key}"


def _sum(histories: list[History], since: str) -> Iterator[str]:
    decisions = [it.decision for history in histories for it in history.generations if it.decision.time >= since]
    kinds = Counter(placed.row.decision for placed in decisions)
    told = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
    yield f"{counted(len(decisions), 'decision')}{f': {told}' if told else ''}"
    trials = sum(placed.time >= since for history in histories for placed in history.placed(TrialRow))
    costs = [it.row.cost_usd for history in histories for it in history.placed(CallRow) if it.time >= since]
    unknown = sum(cost is None for cost in costs)
    rest = f", and {counted(unknown, 'call')} of unknown price" if unknown else ""
    yield f"{counted(trials, 'trial')}, ${sum(cost or 0.0 for cost in costs):.2f}{rest}"
