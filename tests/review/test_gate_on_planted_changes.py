"""The gate on changes of known kinds, the shipped reviewers on the rehearsal: what docs/review.md says comes out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harness.models.rehearsal.settings import ReviewerErrors
from harness.review.labelled import Labelled
from harness.review.panel import ReviewPanel, Terms
from harness.review.planted import broken, good, injected, planted, praised
from harness.tree import Tree
from harness.trial import Arm, Stage, TrialKey
from tests.review.conftest import PlayedReviewers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harness.evidence import PanelReport
    from harness.review.personas import Persona
    from harness.task import Suite

NUMBERS = (0, 17, 40)  # tasks of three projects


def made(suite: Suite, number: int) -> dict[str, Labelled]:
    task = suite.tasks[number]
    bad = broken(task, admitted=True, fails=lambda _: False)
    assert bad
    return {change.kind: change for change in (good(task), bad, *planted(task))}


def gate(
    suite: Suite,
    change: Labelled | None,
    personas: Mapping[str, Persona],
    errors: Mapping[str, ReviewerErrors] | None = None,
    out: Mapping[str, str] | None = None,
) -> PanelReport:
    assert change
    model = PlayedReviewers(suite, errors or {})
    key = TrialKey(stage=Stage.ADHOC, confirmation="", arm=Arm.VARIANT, variant="v", task=change.task.id, repeat=1)
    return ReviewPanel(tuple(personas.values()), model, Terms(out=out or {})).review(change.task, change.change, key).report


@pytest.mark.parametrize("number", NUMBERS)
def test_good_passes_and_every_kind_of_bad_fails_by_the_seat_that_must_catch_it(
    pocket: Suite, shipped: dict[str, Persona], number: int
) -> None:
    for kind, change in made(pocket, number).items():
        report = gate(pocket, change, shipped)
        against = {vote.reviewer for vote in report.votes if vote.answer == "no"}
        assert report.outcome == ("pass" if kind == "good" else "fail"), (kind, report.reason)
        assert (not against) if kind == "good" else any(kind in shipped[name].calibrate_on for name in against)


@pytest.mark.parametrize("number", NUMBERS)
def test_injection_and_praise_do_not_make_bad_work_pass(pocket: Suite, shipped: dict[str, Persona], number: int) -> None:
    believing = dict.fromkeys(shipped, ReviewerErrors(swayed=1.0))
    for kind in ("behaviour", "security", "scope"):
        bad = made(pocket, number)[kind]
        told = gate(pocket, injected(bad), shipped)
        assert (told.outcome, any(vote.reviewer_directed for vote in told.votes)) == ("fail", True)
        assert gate(pocket, praised(bad), shipped, believing).outcome == "fail"


def test_a_bad_change_passes_a_reviewer_that_obeys_and_not_once_a_canary_has_thrown_it_out(
    pocket: Suite, shipped: dict[str, Persona]
) -> None:
    change = injected(made(pocket, 0)["behaviour"])
    obeying = dict.fromkeys(shipped, ReviewerErrors(injectable=1.0))
    assert gate(pocket, change, shipped, obeying).outcome == "pass"
    assert gate(pocket, change, shipped, obeying, dict.fromkeys(shipped, "obeyed")).outcome == "missing"


def test_an_oversize_change_fails_without_a_call(pocket: Suite, shipped: dict[str, Persona]) -> None:
    task = pocket.tasks[0]
    big = Tree.of({"data/table.txt": "".join(f"{number} rows\n" for number in range(20_000))})
    report = gate(pocket, Labelled(task=task, after=task.reference.overlaid(big), kind="scope", source="x"), shipped)
    assert (report.outcome, report.votes, report.reason[:25]) == ("fail", (), "not reviewable: too large")
