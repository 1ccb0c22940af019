"""Which decisions there are, and one of them in full: the rows as JSON objects, for `audit list` and `audit show`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.decision.result import DecisionKind
from harness.errors import InputError
from harness.ledger.history import find_decision, read_history
from harness.printable import printable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harness.ledger.store import Store
    from harness.ports import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """One decision of the ledger."""

    id: str
    campaign: str
    generation: int
    decision: str
    reason: str
    variant: str
    baseline: str
    time: str
    seq: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Which decisions are wanted; an empty part lets all through."""

    decision: str
    campaign: str
    since: str

    @classmethod
    def of(cls, *, decision: str, campaign: str, since: str) -> Filter:
        """A checked filter; `since` is a day in UTC, YYYY-MM-DD.

        Raises:
            InputError: no such decision.
        """
        kinds = [kind.value for kind in DecisionKind]
        if decision and decision not in kinds:
            raise InputError(f"--decision {decision!r}: is none; there are {', '.join(kinds)}")
        return cls(decision=decision, campaign=campaign, since=since)

    def keeps(self, one: Listed) -> bool:
        """Whether a decision is wanted."""
        return self.decision in {"", one.decision} and one.campaign.startswith(self.campaign) and one.time[:10] >= self.since


def listed(store: Store) -> tuple[Listed, ...]:
    """Every decision, campaign by campaign, in the order of writing.

    Raises:
        LedgerError: a row cannot be read.
    """
    return tuple(
        Listed(
            id=placed.row.id,
            campaign=campaign,
            generation=placed.row.generation,
            decision=placed.row.decision,
            reason=placed.row.reason,
            variant=placed.row.variant,
            baseline=placed.row.baseline,
            time=placed.time,
            seq=placed.seq,
        )
        for campaign in store.campaigns()
        for placed in (generation.decision for generation in read_history(store, campaign).generations)
    )


def listed_text(decisions: tuple[Listed, ...]) -> str:
    """One line per decision, for a person."""
    if not decisions:
        return "No decision is in this ledger yet."
    lines = [
        f"{it.id}  {it.campaign[:8]}  generation {it.generation:<3}  {it.decision:<17}  {printable(it.reason, lines=False)}"
        for it in decisions
    ]
    return "\n".join(lines)


def shown(store: Store, name: str) -> Mapping[str, Json]:
    """The object of one decision, as `harness decide --json` and `compare` print it.

    Raises:
        InputError: there is no decision of that name.
    """
    return find_decision(store, name)[1].record.result
