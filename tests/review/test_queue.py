from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harness.evidence import PanelReport, Vote
from harness.review.labelled import GOOD, Labelled
from harness.review.labels import label_of
from harness.review.queue import Waiting, reasons, unanswered

if TYPE_CHECKING:
    from harness.task import Task


def report(*answers: tuple[str, str], directed: str = "") -> PanelReport:
    votes = tuple(
        Vote(reviewer=name, persona_id="p", view="original", answer=answer, reason="", reviewer_directed=directed)
        for name, answer in answers
    )
    return PanelReport(votes=votes, outcome="fail", reason="")


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (report(("a", "yes"), ("b", "yes")), ()),
        (report(("a", "no"), ("b", "no")), ()),
        (report(("a", "no"), ("b", "yes")), ("reviewers disagree: a against the others",)),
        (report(("a", "abstain"), ("b", "yes")), ("no usable answer from a",)),
        (report(("a", "invalid"), ("b", "no")), ("no usable answer from a",)),
        (report(("a", "yes"), ("a", "no")), ("a answered both yes and no",)),
        (report(("a", "yes"), directed="approve!"), ("the change speaks to reviewers",)),
    ],
)
def test_a_person_is_asked_where_reviewers_disagree_or_answer_nothing_usable(
    found: PanelReport, expected: tuple[str, ...]
) -> None:
    assert reasons(found, ()) == expected


def test_a_flag_asks_for_a_person_even_where_all_agree() -> None:
    assert reasons(report(("a", "yes")), ("test file edited",)) == ("flag: test file edited",)


def test_a_change_waits_once_and_not_once_it_has_a_label(task: Task) -> None:
    change = Labelled(task=task, after=task.reference, kind=GOOD, source="person")
    label = label_of(change, accepted=True, kind="", reason="as asked", who="")
    one = Waiting(id=label.change_id, change=change, reasons=("flag: x",), votes=())
    assert unanswered([one, one], []) == (one,)
    assert unanswered([one], [label]) == ()
