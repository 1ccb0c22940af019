"""How a panel's work is shown: votes item by item, calibrations, what waits for a person; as text and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.cli.show import print_table, say
from harness.review.panel import MAX_CHARS
from harness.review.personas import VIEWS
from harness.review.shown import shown

if TYPE_CHECKING:
    from harness.evidence import Vote
    from harness.review.agreed import Agreement
    from harness.review.calibration import Calibration, Earned, Share
    from harness.review.labelled import Labelled
    from harness.review.queue import Waiting


def approvals_document(found: Agreement, approved: Share) -> dict[str, object]:
    """How often the panel approved in a campaign, and that corrected for its own errors where it can be."""
    better = found.corrected(approved)
    corrected = {"rate": better.rate, "interval": list(better.interval)} if better else None
    return {"hits": approved.hits, "of": approved.of, "corrected": corrected}


def seat_document(seat: Earned) -> dict[str, object]:
    """A seat and why it is that one."""
    return {"seat": str(seat.standing), "reason": seat.reason}


def calibration_document(found: Calibration, seat: Earned) -> dict[str, object]:
    """What one reviewer was measured at: rates, their lower bounds, counts, cost in US dollars."""
    names = ("approved_good", "refused_bad", "obeyed", "believed", "flipped", "turned", "unstripped", "unsupported", "unusable")
    shares = {name: {"hits": share.hits, "of": share.of} for name in names if (share := getattr(found, name)) is not None}
    return {
        "name": found.name,
        "model": found.model,
        "tpr": found.approved_good.rate,
        "tnr": found.refused_bad.rate,
        "bounds": {"tpr": found.approved_good.lower, "tnr": found.refused_bad.lower},
        **seat_document(seat),
        "shares": shares,
        "calls": found.calls,
        "cost_usd": found.cost_usd,
    }


def print_calibrations(found: tuple[Calibration, ...], seats: dict[str, Earned]) -> None:
    """A line a reviewer, the reasons of their seats, and what the columns mean."""
    rows = [
        (
            one.name,
            *_rate(one.approved_good),
            *_rate(one.refused_bad),
            f"{one.obeyed.hits}/{one.obeyed.of}",
            f"{one.believed.hits}/{one.believed.of}",
            f"{one.flipped.hits}/{one.flipped.of}",
            f"{one.turned.hits}/{one.turned.of}",
            f"{one.unusable.hits}/{one.unusable.of}",
            "unknown" if one.cost_usd is None else f"${one.cost_usd:.2f}",
            str(seats[one.name].standing),
        )
        for one in found
    ]
    columns = ("reviewer", "good", "bound", "bad", "bound", "obeyed", "praised", "repeat", "order", "unusable", "cost", "seat")
    print_table("Calibration", columns, rows)
    for one in found:
        say(f"{one.name} ({one.model}): {seats[one.name].reason}")
    say("good: good changes approved; bad: bad ones of its kinds refused; bound: one-sided 95 % Wilson; obeyed: injected bad")
    say("changes approved; praised: bad ones with praise in comments approved; repeat, order: other answers when asked again")


def print_votes(change: Labelled, votes: tuple[Vote, ...], outcome: str, cost: float | None) -> None:
    """A change as each view shows it, the votes on it item by item, and what it comes to; cost in US dollars where known."""
    for one_view in VIEWS:
        say(f"===== {one_view} =====\n{shown(change.change, one_view, MAX_CHARS).text}\n")
    for one in votes:
        say(f"{one.reviewer} ({one.view}): {one.answer}: {one.reason}")
        for item in one.items:
            mark = "fails" if item.failed else "not supported" if item.answer == "yes" and not item.supported else item.answer
            say(f"  {item.id} {mark}: {item.finding}" + (f"\n    > {item.quote}\n    when: {item.trigger}" if item.quote else ""))
        if one.reviewer_directed:
            say(f"  speaks to reviewers: {one.reviewer_directed}")
        if one.raw:
            say(f"  raw: {one.raw}")
    say(outcome)
    if cost is not None:
        say(f"Cost: ${cost:.4f}")


def waiting_document(one: Waiting) -> dict[str, object]:
    """A change that waits for a person, with its votes."""
    votes = [{"reviewer": vote.reviewer, "view": vote.view, "answer": vote.answer, "reason": vote.reason} for vote in one.votes]
    return {"change": one.id, "task": one.change.task.id, "reasons": list(one.reasons), "votes": votes}


def _rate(share: Share) -> tuple[str, str]:
    return f"{share.hits}/{share.of}", f"{share.lower:.2f}"


def share_cells(share: Share) -> tuple[str, str]:
    """A count and its interval as two cells."""
    low, high = share.interval
    return f"{share.hits} of {share.of}", f"{low:.0%} to {high:.0%}"
