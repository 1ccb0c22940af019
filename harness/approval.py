"""Promotions that wait for a person (`[output] approve = "person"`): what waits, and the person's yes or no as ledger entries.

The decision is the rule's and stands; only the baseline's move waits. A loop that delivers faster than people understand is
slowed down here: one sentence of why is asked for, and kept.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from harness.errors import InputError
from harness.ledger.schema import DecisionRow, EventRow, PromotionRow

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from harness.ledger.schema import Ledger

WAITS, APPROVED, REFUSED = "promotion waits", "promotion approved", "promotion refused"


def asked(decision: DecisionRow) -> EventRow:
    """The row that makes a promotion wait."""
    return EventRow(key=f"approval/{decision.id}/asked", name=WAITS, data="")


def waiting(ledger: Ledger) -> tuple[DecisionRow, ...]:
    """The decisions whose promotion waits for a person, oldest first."""
    names = unanswered(ledger.rows(EventRow))
    return tuple(row for row in ledger.rows(DecisionRow) if row.id in names)


def unanswered(events: Iterable[EventRow]) -> tuple[str, ...]:
    """The ids of decisions that were asked about and not answered, in the order of asking."""
    rows = [(row.name, row.key.split("/")[1]) for row in events if row.name in {WAITS, APPROVED, REFUSED}]
    answered = {decision for name, decision in rows if name != WAITS}
    return tuple(decision for name, decision in rows if name == WAITS and decision not in answered)


def answers(events: Iterable[EventRow], decision: str) -> Iterator[str]:
    """Who answered to a decision, and the sentence why; `events` are all yes (APPROVED), or all no (REFUSED)."""
    for row in events:
        if row.key.split("/")[1] == decision:
            said = json.loads(row.data)
            yield f"{said['who']}: {said['why']}"


def approve(ledger: Ledger, decision: DecisionRow, why: str, who: str) -> PromotionRow:
    """A person's yes: the baseline moves.

    Args:
        ledger: the campaign's.
        decision: the one that waits.
        why: one sentence of the person's own.
        who: the person's name, as the machine knows it.

    Raises:
        InputError: no sentence was given, or nothing of that id waits.
    """
    _check(ledger, decision, why)
    row = PromotionRow(
        key=decision.id, generation=decision.generation, old=decision.baseline, new=decision.variant, reason=decision.reason
    )
    ledger.add(row, _answer(decision, APPROVED, why, who))
    return row


def refuse(ledger: Ledger, decision: DecisionRow, why: str, who: str) -> None:
    """A person's no: the baseline stays, and the next run goes on from it.

    Raises:
        InputError: as `approve`.
    """
    _check(ledger, decision, why)
    ledger.add(_answer(decision, REFUSED, why, who))


def _check(ledger: Ledger, decision: DecisionRow, why: str) -> None:
    if decision.id not in {row.id for row in waiting(ledger)}:
        waits = ", ".join(row.id for row in waiting(ledger)) or "none"
        raise InputError(f"decision {decision.id} waits for nobody; waiting in its campaign: {waits}")
    if not why.strip():
        raise InputError("one sentence is asked for: why is this change right, or wrong, for your team? (--why)")


def _answer(decision: DecisionRow, name: str, why: str, who: str) -> EventRow:
    return EventRow(key=f"approval/{decision.id}/answer", name=name, data=json.dumps({"who": who, "why": why.strip()}))
