"""From votes to the panel's outcome, pure: quorum, veto and the rule. Votes alone decide, so it can be computed again offline."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from harness.evidence import Vote
    from harness.review.personas import Persona

Rule = Literal["majority", "unanimous", "veto"]

QUORUM = Fraction(2, 3)  # of all seats' weight, besides every veto seat (design note on review, "The panel")


class Stand(StrEnum):
    """Where one seat stands after its votes in all views.

    UNASKED: a view that it would need has no vote. VOID: out of this session, because it failed a canary.
    """

    YES = "yes"
    NO = "no"
    ABSTAIN = "abstain"
    INVALID = "invalid"
    VOID = "void"
    UNASKED = "unasked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Seat:
    """One persona's seat: its stand and the reason of the vote that made it. `refuses`: its no is a veto, and confirmed."""

    name: str
    weight: float
    veto: bool
    stand: Stand
    reason: str
    refuses: bool = False


def again(view: str) -> str:
    """The view under which a veto's confirmation is recorded."""
    return f"{view} again"


def seats(personas: Iterable[Persona], votes: Sequence[Vote]) -> tuple[Seat, ...]:
    """Each persona's seat. Approval needs a yes in every view; the first other answer is the seat's."""
    return tuple(_seat(persona, votes) for persona in personas)


def settled(taken: Sequence[Seat], rule: Rule) -> bool:
    """Whether open seats can no longer change the outcome: a veto, or under `unanimous` any no.

    Deciding by counting weights early would save little and cost the record of who would have said what.
    """
    return any(seat.refuses or (seat.stand is Stand.NO and rule == "unanimous") for seat in taken)


def quorate(personas: Iterable[Persona], out: Collection[str]) -> bool:
    """Whether a quorum is left when the seats named in `out` are gone: every veto seat and two thirds of the weight."""
    seated = [(Fraction(persona.weight), persona.name not in out, persona.veto) for persona in personas]
    left, total = sum(weight for weight, stays, _ in seated if stays), sum(weight for weight, _, _ in seated)
    return left >= QUORUM * total and all(stays for _, stays, veto in seated if veto)


def verdict(personas: Sequence[Persona], votes: Sequence[Vote], rule: Rule) -> tuple[str, str]:
    """(pass, fail or missing; the reason in words).

    Missing where the service gave no answer: a seat without any vote, even beside a veto, so that being missing does not
    depend on what the others said, or a second view that could still matter; and where canaries threw out so many seats that
    no quorum is left. A change that makes reviewers refuse, or
    answer nothing usable, fails as not reviewable: it must not drop out of the count.
    """
    taken = seats(personas, votes)
    void = [seat for seat in taken if seat.stand is Stand.VOID]
    if not quorate(personas, {seat.name for seat in void}):
        return "missing", f"no quorum in this session: {'; '.join(f'{seat.name}: {seat.reason}' for seat in void)}"
    asked = {vote.reviewer for vote in votes}
    if settled(taken, rule) and all(seat.name in asked for seat in taken):
        against = [seat for seat in taken if seat.refuses or (seat.stand is Stand.NO and rule == "unanimous")]
        return "fail", "; ".join(f"{seat.name} refuses: {seat.reason}" for seat in against)
    absent = [seat.name for seat in taken if seat.stand is Stand.UNASKED]
    if absent:
        return "missing", f"no answer from the service for {', '.join(absent)}"
    valid = sum(seat.weight for seat in taken if seat.stand in {Stand.YES, Stand.NO})
    silent = [seat for seat in taken if seat.stand in {Stand.ABSTAIN, Stand.INVALID}]
    left = sum(seat.weight for seat in taken if seat not in void)
    if Fraction(valid) < QUORUM * Fraction(left) or any(seat.veto for seat in silent):
        return "fail", f"not reviewable: {'; '.join(f'{seat.name}: {seat.reason}' for seat in silent)}"
    return _counted([seat for seat in taken if seat not in void], rule)


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
    stand, reason, refuses = Stand.YES, "", False
    for view in persona.views:
        vote = mine.get(view)
        if vote is None:
            stand, reason = Stand.UNASKED, f"not asked about the {view} view"
            break
        stand, reason = Stand(vote.answer), f"{vote.reason} ({view} view)"
        if stand is Stand.NO and persona.veto:
            stand, reason, refuses = _vetoed(reason, mine.get(again(view)))
        if stand is not Stand.YES:
            break
    return Seat(name=persona.name, weight=persona.weight, veto=persona.veto, stand=stand, reason=reason, refuses=refuses)


def _vetoed(reason: str, second: Vote | None) -> tuple[Stand, str, bool]:
    """A veto stands unless the seat, asked again, says yes: then its no counts by weight. Silence takes nothing back."""
    if second is None:
        return Stand.UNASKED, "not asked to confirm its veto", False
    if second.answer == "yes":
        return Stand.NO, f"{reason}; not confirmed when asked again, so no veto", False
    return Stand.NO, reason, True
