"""What operators have earned, read from the ledger's rows alone: the same for the loop that chooses and for a replay."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from harness.operators import NOTHING, PROMOTED, SURVIVED_BLOCK, SURVIVED_SCREEN, Choice, Operator, choose, states

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from harness.ledger.schema import DecisionRow, EventRow, VariantRow

_WON = "promote"


def history(
    variants: Iterable[VariantRow], decided: Mapping[int, DecisionRow], events: Mapping[str, EventRow], batch: int
) -> list[tuple[str, float]]:
    """(operator, points) of every generation before a batch, in the order of generations.

    Args:
        variants: the campaign's generations, in order.
        decided: decisions by generation.
        events: events by key; `screen/<generation>` says how a screen went.
        batch: the batch about to be proposed: what its own generations earn is not known yet.
    """
    return [
        (row.operator, _points(decided.get(row.generation), events.get(f"screen/{row.generation}")))
        for row in _before(variants, batch)
    ]


def in_vain(variants: Iterable[VariantRow], decided: Mapping[int, DecisionRow], batch: int) -> tuple[int, ...]:
    """The generations before a batch, in order, since the last of them that won."""
    earlier = [row.generation for row in _before(variants, batch)]
    won = max((number for number in earlier if number in decided and decided[number].decision == _WON), default=0)
    return tuple(number for number in earlier if number > won)


def stuck(vain: Sequence[int], limit: int) -> bool:
    """Whether so many generations in vain are a plateau; a limit of 0 knows none."""
    return 0 < limit <= len(vain)


def chosen(
    earlier: Iterable[tuple[str, float]], allowed: Iterable[Operator], campaign: str, generation: int, *, wide: bool
) -> Choice:
    """The choice of one generation: it depends on these arguments alone."""
    return choose(states(earlier), tuple(allowed), f"{campaign}/{generation}", wide=wide)


def recorded(choice: Choice) -> str:
    """A choice as its event's data: canonical JSON. Only a wide one says how wide it is."""
    wide = {"wide": True} if choice.wide else {}
    return json.dumps({"operator": choice.operator, "states": choice.states, "draws": choice.draws} | wide, sort_keys=True)


def _before(variants: Iterable[VariantRow], batch: int) -> Iterator[VariantRow]:
    return (row for row in variants if row.generation and row.batch < batch)


def _points(decision: DecisionRow | None, event: EventRow | None) -> float:
    if decision is not None and decision.decision == _WON:
        return PROMOTED
    screened = json.loads(event.data) if event else {}
    if not screened:
        return NOTHING
    if not screened["dropped"]:
        return SURVIVED_SCREEN
    return SURVIVED_BLOCK if screened["block"] > 1 else NOTHING
