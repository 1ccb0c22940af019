"""What waits for a person: changes on which reviewers disagree or answer nothing usable, or where a flag stands.

A person sees the change and the votes, never whose change it is. What they answer is a label (labels.py).
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from harness.evidence import PanelReport, Vote
    from harness.review.labelled import Labelled
    from harness.review.labels import Label


@dataclass(frozen=True, kw_only=True)
class Waiting:
    """One change that a person should judge: why, and how the reviewers voted. `id` is the label's `change_id`."""

    id: str
    change: Labelled
    reasons: tuple[str, ...]
    votes: tuple[Vote, ...]


def reasons(report: PanelReport, flags: Iterable[str]) -> tuple[str, ...]:
    """Why a person should look at a reviewed change; nothing where all reviewers agree and no flag stands."""
    stands: dict[str, set[str]] = defaultdict(set)
    for vote in report.votes:
        stands[vote.reviewer].add(vote.answer)
    against = [name for name, answers in stands.items() if "no" in answers]
    silent = [name for name, answers in stands.items() if "no" not in answers and answers & {"abstain", "invalid"}]
    taken_back = [name for name, answers in stands.items() if {"yes", "no"} <= answers]
    found = []
    if against and len(against) + len(silent) < len(stands):
        found.append(f"reviewers disagree: {', '.join(against)} against the others")
    if silent:
        found.append(f"no usable answer from {', '.join(silent)}")
    if taken_back:
        found.append(f"{', '.join(taken_back)} answered both yes and no")
    if any(vote.reviewer_directed for vote in report.votes):
        found.append("the change speaks to reviewers")
    return (*found, *(f"flag: {flag}" for flag in flags))


def unanswered(waiting: Iterable[Waiting], labels: Iterable[Label]) -> tuple[Waiting, ...]:
    """Each change once, those that have a label left out."""
    known = {label.change_id for label in labels}
    return tuple({one.id: one for one in waiting if one.id not in known}.values())
