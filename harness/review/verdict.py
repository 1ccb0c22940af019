"""From votes to the panel's outcome, pure: quorum, veto and the rule. Votes alone decide, so it can be computed again offline."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from harness.evidence import Vote
    from harness.review.personas import Persona

Rule = Literal["majority", "unanimous", "veto"]

QUORUM = Fraction(2, 3)  # of all seats' weight, besides every veto seat (design note on review, "The panel")


class Stand(StrEnum):
    """Where one seat stands after its votes in all views. UNASKED: a view that it would need has no vote."""

    YES = "yes"
    NO = "no"
    ABSTAIN = "abstain"
    INVALID = "invalid"
    UNASKED = "unasked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Seat:
    """One persona's seat: its stand and the reason of the vote that made it."""

    name: str
    weight: float
    veto: bool
    stand: Stand
    reason: str


def seats(personas: Iterable[Persona], votes: Sequence[Vote]) -> tuple[Seat, ...]:
    """Each persona's seat. Approval needs a yes in every view; the first other answer is the seat's."""
    return tuple(_seat(persona, votes) for persona in personas)


def settled(taken: Sequence[Seat], rule: Rule) -> bool:
    """Whether open seats can no longer change the outcome: a veto, or under `unanimous` any no.

    Deciding by counting weights early would save little and cost the record of who would have said what.
    """
    return any(seat.stand is Stand.NO and (seat.veto or rule == "unanimous") for seat in taken)


def verdict(personas: Sequence[Persona], votes: Sequence[Vote], rule: Rule) -> tuple[str, str]:
    """(pass, fail or missing; the reason in words).

    Missing where the service gave no answer: a seat without any vote, even beside a veto, so that being missing does not
    depend on what the others said, or a second view that could still matter. A change that makes reviewers refuse, or
    answer nothing usable, fails as not reviewable: it must not drop out of the count.
    """
    taken = seats(personas, votes)
    asked = {vote.reviewer for vote in votes}
    if settled(taken, rule) and all(seat.name in asked for seat in taken):
        against = [seat for seat in taken if seat.stand is Stand.NO]
        return "fail", "; ".join(f"{seat.name} refuses: {seat.reason}" for seat in against)
    absent = [seat.name for seat in taken if seat.stand is Stand.UNASKED]
    if absent:
        return "missing", f"no answer from the service for {', '.join(absent)}"
    valid = sum(seat.weight for seat in taken if seat.stand in {Stand.YES, Stand.NO})
    total = sum(seat.weight for seat in taken)
    silent = [seat for seat in taken if seat.stand in {Stand.ABSTAIN, Stand.INVALID}]
    if Fraction(valid) < QUORUM * Fraction(total) or any(seat.veto for seat in silent):
        return "fail", f"not reviewable: {'; '.join(f'{seat.name}: {seat.reason}' for seat in silent)}"
    return _counted(taken, rule)


def _counted(taken: Sequence[Seat], rule: Rule) -> tuple[str, str]:
    """Within a quorum an abstention counts against, except under `veto`, where only vetoes count."""
    total = sum(seat.weight for seat in taken)
    approving = sum(seat.weight for seat in taken if seat.stand is Stand.YES)
    approved = {"majority": approving > total / 2, "unanimous": approving == total, "veto": True}[rule]
    tally = ", ".join(f"{seat.name} {seat.stand}" for seat in taken)
    against = "; ".join(f"{seat.name}: {seat.reason}" for seat in taken if seat.stand is not Stand.YES)
    words = f"{approving:g} of {total:g} approve ({rule}): {tally}"
    return ("pass", words) if approved else ("fail", f"{words}; {against}")


def _seat(persona: Persona, votes: Sequence[Vote]) -> Seat:
    mine = {vote.view: vote for vote in votes if vote.reviewer == persona.name}
    stand, reason = Stand.YES, ""
    for view in persona.views:
        vote = mine.get(view)
        if vote is None:
            stand, reason = Stand.UNASKED, f"not asked about the {view} view"
            break
        stand, reason = Stand(vote.answer), f"{vote.reason} ({view} view)"
        if stand is not Stand.YES:
            break
    return Seat(name=persona.name, weight=persona.weight, veto=persona.veto, stand=stand, reason=reason)
