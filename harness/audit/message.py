"""A promotion in words for a commit: what changed, the rule's reason, the three comparisons. The ledger's head anchors it."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.approval import APPROVED, answers
from harness.audit.why import gate_line
from harness.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.ledger.history import Generation, History, Placed
    from harness.ledger.schema import PromotionRow
    from harness.ledger.store import Store

SUBJECT = 72  # characters of a commit's first line that git's own tools show whole


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """What a commit of one promotion says, and what ties it to the ledger: key, head `<number>:<hash>`, time (ISO 8601)."""

    text: str
    key: str
    head: str
    time: str


def message_of(store: Store, history: History, placed: Placed[PromotionRow]) -> Message:
    """The message of one move of the baseline, promotion or rollback.

    Raises:
        LedgerError: a row cannot be read.
    """
    row = placed.row
    entry = store.entries(history.campaign, "promotion", row.key)[0]
    generation = next((it for it in history.generations if it.decision.row.id == row.key), None)
    lines = _promotion(history, generation) if generation else (f"Back to generation {row.generation}", "", row.reason)
    mark = "REHEARSAL: " if history.settings.rehearsal else ""
    subject, *rest = (printable(line, lines=False) for line in lines)
    return Message(
        text="\n".join([textwrap.shorten(f"{mark}{subject}", SUBJECT, placeholder=" …"), *rest]),
        key=f"{history.campaign[:16]}/{row.key}",
        head=str(entry.head),
        time=placed.time,
    )


def _promotion(history: History, generation: Generation) -> Iterator[str]:
    what = generation.variant.row.rationale if generation.variant else ""
    yield f"Promote generation {generation.number}: {what}" if what else f"Promote generation {generation.number}"
    yield from ("", generation.decision.row.reason, "")
    if generation.record.decision:
        yield from map(gate_line, generation.record.decision.gates)
    yield from ("", f"Decision {generation.decision.row.id}; harness audit why {generation.decision.row.id} tells the rest.")
    for said in answers((it.row for it in history.events(APPROVED)), generation.decision.row.id):
        yield f"Approved by {said}"
