"""Calibration against reviewers whose errors are set, so that what it finds can be compared with what is true."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from harness.budget import Budget, BudgetSpentError, Limit
from harness.decision.proportion import wilson
from harness.errors import InputError, LedgerError
from harness.ledger.schema import CallRow, EventRow
from harness.ledger.store import Store
from harness.models.rehearsal.settings import ReviewerErrors
from harness.review.agreed import agreement_of
from harness.review.calibrate import PROBES, Purpose, questions
from harness.review.calibration import Share, Standing
from harness.review.desk import Desk, gathered
from harness.review.labels import labelled, read_labels
from harness.review.panel import ReviewPanel, Terms
from harness.review.protocol import revote
from harness.review.records import NAME, Records
from harness.testing import ScriptedModel
from tests.review.conftest import PlayedReviewers

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from harness.ports import Model
    from harness.review.calibration import Calibration
    from harness.review.labelled import Labelled
    from harness.review.personas import Persona
    from harness.task import Suite

NOW = datetime(2026, 12, 1, tzinfo=UTC)


@contextmanager
def kept(folder: Path) -> Iterator[Records]:
    with Store.open(folder / "ledger.db", lambda: NOW) as store:
        yield Records(store.campaign(NAME))


def desk(model: Model, personas: tuple[Persona, ...], records: Records, max_usd: float | None = None) -> Desk:
    return Desk(
        personas=personas,
        records=records,
        model_of=lambda _: "m",
        panel_of=lambda one: ReviewPanel((one,), model, Terms(model_id="m")),
        each=map,
        budget=Budget((Limit(name="run", usd=max_usd),), max_hours=None, clock=lambda: 0.0),
        clock=lambda: NOW,
    )


def changes(suite: Suite, records: Records, kinds: set[str]) -> tuple[Labelled, ...]:
    found = gathered(suite.tasks, records, admitted=frozenset(suite.by_id), fails=lambda _: False)
    return tuple(change for change in found if change.kind in kinds)


def told(done: int, wanted: int) -> None:
    """Nobody listens."""
    assert done <= wanted


def measured(
    folder: Path, suite: Suite, persona: Persona, errors: ReviewerErrors, most: int = 48
) -> tuple[Calibration, Standing]:
    """What a calibration on at most so many changes of a kind finds, and the seat that it earns."""
    with kept(folder) as records:
        at = desk(PlayedReviewers(suite, {persona.name: errors}), (persona,), records)
        pool = [few for kind in ("good", *persona.calibrate_on) for few in changes(suite, records, {kind})[:most]]
        (found,) = at.calibrate(pool, told)
        return found, at.standings()[persona.name].standing


def covers(share: Share, rate: float) -> bool:
    low, high = wilson(share.hits, share.of, 0.99)
    return low <= rate <= high


@pytest.mark.parametrize(("name", "rates"), [("security", (1.0, 1.0)), ("correctness", (0.9, 0.7)), ("security", (0.75, 0.95))])
def test_calibration_finds_the_rates_that_were_set_within_their_intervals(
    tmp_path: Path, pocket: Suite, shipped: dict[str, Persona], name: str, rates: tuple[float, float]
) -> None:
    tpr, tnr = rates
    found, standing = measured(tmp_path, pocket, shipped[name], ReviewerErrors(tpr=tpr, tnr=tnr))
    assert (found.approved_good.of, found.refused_bad.of) == (48, 48)
    assert covers(found.approved_good, tpr)
    assert covers(found.refused_bad, tnr)
    assert standing is (Standing.SEATED if tpr == tnr == 1.0 else Standing.PROVISIONAL)


def test_a_reviewer_that_can_be_injected_may_not_sit(tmp_path: Path, pocket: Suite, shipped: dict[str, Persona]) -> None:
    found, standing = measured(tmp_path, pocket, shipped["correctness"], ReviewerErrors(injectable=1.0))
    assert (found.obeyed, standing) == (Share(hits=PROBES, of=PROBES), Standing.OUT)
    assert (found.refused_bad.rate, found.approved_good.rate) == (1.0, 1.0)


def test_praise_is_seen_through_because_the_second_view_has_none(
    tmp_path: Path, pocket: Suite, shipped: dict[str, Persona]
) -> None:
    found, _ = measured(tmp_path, pocket, shipped["correctness"], ReviewerErrors(swayed=1.0), PROBES)
    assert found.believed == Share(hits=0, of=PROBES)
    once = replace(shipped["correctness"], views=("original",))
    found, _ = measured(tmp_path / "once", pocket, once, ReviewerErrors(swayed=1.0), PROBES)
    assert found.believed == Share(hits=PROBES, of=PROBES)


def test_a_reviewer_that_depends_on_the_order_of_items_is_seen_by_turning_them(
    tmp_path: Path, pocket: Suite, shipped: dict[str, Persona]
) -> None:
    steady, _ = measured(tmp_path / "steady", pocket, shipped["correctness"], ReviewerErrors(), PROBES)
    tired, _ = measured(tmp_path / "tired", pocket, shipped["correctness"], ReviewerErrors(position=1.0), PROBES)
    assert (steady.turned.hits, steady.turned.of) == (0, 2 * PROBES)
    assert tired.turned.hits >= PROBES / 4  # the faulty item is first or last of five in two calls of five
    assert (steady.flipped.hits, tired.flipped.hits) == (0, 0)


def test_a_reviewer_with_luck_of_its_own_answers_otherwise_when_asked_again(
    tmp_path: Path, pocket: Suite, shipped: dict[str, Persona]
) -> None:
    found, _ = measured(tmp_path, pocket, shipped["security"], ReviewerErrors(tpr=0.7, tnr=0.7), PROBES)
    assert covers(found.flipped, 2 * 0.7 * 0.3)


@pytest.mark.parametrize("answer", [("refusal", ""), ("max_tokens", "{"), ("end_turn", "no")])
def test_answers_that_are_no_votes_are_counted_apart_and_never_right(
    tmp_path: Path, pocket: Suite, shipped: dict[str, Persona], answer: tuple[str, str]
) -> None:
    with kept(tmp_path) as records:
        few = changes(pocket, records, {"good", "behaviour"})[:6]
        at = desk(ScriptedModel(lambda _: answer), (shipped["correctness"],), records)
        (found,) = at.calibrate(few, told)
    assert (found.approved_good.hits, found.refused_bad.hits) == (0, 0)
    assert found.unusable.rate == 1.0


def test_a_run_that_was_cut_asks_only_what_is_left_and_comes_to_the_same(
    tmp_path: Path, pocket: Suite, shipped: dict[str, Persona]
) -> None:
    persona, errors = shipped["security"], {"security": ReviewerErrors(tpr=0.8, tnr=0.8)}
    with kept(tmp_path / "whole") as records:
        few = changes(pocket, records, {"good", "security"})[:10]
        model = PlayedReviewers(pocket, errors)
        (whole,) = desk(model, (persona,), records).calibrate(few, told)
        asked = len(model.requests)
    with kept(tmp_path / "cut") as records:
        first = PlayedReviewers(pocket, errors)
        with pytest.raises(BudgetSpentError):
            desk(first, (persona,), records, max_usd=0.07).calibrate(few, told)
        assert records.calibrations() == ()
        assert 0 < desk(first, (persona,), records).left(few) < len(questions((persona,), few))
        second = PlayedReviewers(pocket, errors)
        (cut,) = desk(second, (persona,), records).calibrate(few, told)
    assert 0 < len(first.requests) < asked
    assert len(first.requests) + len(second.requests) == asked
    assert replace(cut, calls=0, cost_usd=None) == replace(whole, calls=0, cost_usd=None)


def test_calibrating_again_asks_anew(tmp_path: Path, pocket: Suite, shipped: dict[str, Persona]) -> None:
    model = PlayedReviewers(pocket, {})
    with kept(tmp_path) as records:
        few = changes(pocket, records, {"good"})[:3]
        for _ in range(2):
            desk(model, (shipped["security"],), records).calibrate(few, told)
        assert (len(records.runs()), len(records.calibrations())) == (2, 2)
    subjects = [request.subject for request in model.requests if request.role.endswith("original:1")]
    assert len(set(subjects)) == len(subjects)


def test_what_the_service_does_not_answer_is_left_out_and_asked_again(
    tmp_path: Path, pocket: Suite, shipped: dict[str, Persona]
) -> None:
    with kept(tmp_path) as records:
        few = changes(pocket, records, {"good"})[:3]
        (found,) = desk(ScriptedModel(lambda _: None), (shipped["security"],), records).calibrate(few, told)
        assert (found.approved_good.of, records.answers(records.runs()[0])) == (0, ())


def test_every_answer_and_every_call_is_recorded_and_votes_come_out_again_from_the_raw_answers(
    tmp_path: Path, pocket: Suite, shipped: dict[str, Persona]
) -> None:
    persona = shipped["security"]
    with Store.open(tmp_path / "ledger.db", lambda: NOW) as store:
        ledger = store.campaign(NAME)
        records = Records(ledger)
        few = changes(pocket, records, {"good", "security"})[:6]
        model = PlayedReviewers(pocket, {"security": ReviewerErrors(tnr=0.5)})
        (found,) = desk(model, (persona,), records).calibrate(few, told)
        assert len(ledger.rows(CallRow)) == len(model.requests) == found.calls
        assert found.cost_usd == pytest.approx(0.001 * found.calls)
        answers = records.answers(records.runs()[0])
        assert sum(row.name == "answer" for row in ledger.rows(EventRow)) == len(answers)
        for answer in answers:
            for vote in answer.votes:
                assert revote(vote, persona) == vote


def test_specialists_are_asked_about_everything_and_measured_by_their_own_kinds(
    pocket: Suite, shipped: dict[str, Persona], tmp_path: Path
) -> None:
    with kept(tmp_path) as records:
        pool = changes(pocket, records, {"good", "behaviour", "security"})
    found = questions((shipped["security"],), pool)
    plain = [question.change.kind for question in found if question.purpose is Purpose.PLAIN]
    assert {kind: plain.count(kind) for kind in set(plain)} == {"good": 48, "behaviour": 48, "security": 48}
    assert {question.change.kind for question in found if question.purpose is Purpose.INJECTED} == {"security"}
    assert [question.key for question in found] == [question.key for question in questions((shipped["security"],), pool)]


def test_labels_of_people_join_what_is_asked_about(tmp_path: Path, pocket: Suite) -> None:
    file = tmp_path / "labels.jsonl"
    file.write_text(
        '{"instruction": "Do it.", "files": [{"path": "a.py", "after": "x = 1\\n"}], "accepted": true}\n', encoding="utf-8"
    )
    with kept(tmp_path) as records:
        (label,) = read_labels(file)
        assert records.add_labels([label, label]) == 1
        assert records.add_labels([label]) == 0
        found = changes(pocket, records, {"good"})
        assert labelled(label, pocket.by_id).id in {change.id for change in found}
        known = gathered(pocket.tasks, records, admitted=frozenset(), fails=lambda _: False, known=frozenset(pocket.by_id))
        assert {change.source for change in known} == {"reference", "sample of the suite", "planted"}


def test_agreement_refuses_a_record_whose_vote_does_not_come_out_of_its_raw_answer(
    tmp_path: Path, pocket: Suite, shipped: dict[str, Persona]
) -> None:
    personas = (shipped["correctness"], shipped["security"])
    with kept(tmp_path) as records:
        with pytest.raises(InputError, match="harness reviewers calibrate"):
            agreement_of(personas, "majority", records)
        few = changes(pocket, records, {"good", "security"})[:4]
        desk(PlayedReviewers(pocket, {}), personas, records).calibrate(few, told)
        found = agreement_of(personas, "majority", records)
        assert found.right[-1] == ("panel", Share(hits=4, of=4))
        true = next(answer for answer in records.answers(records.runs()[0]) if answer.purpose is Purpose.PLAIN)
        forged = replace(true, votes=tuple(replace(vote, answer="abstain") for vote in true.votes))
        records.add_answer("later", forged.key, forged)
        records.add_calibrations("later", records.calibrations())
        with pytest.raises(LedgerError, match="does not come out of its raw answer"):
            agreement_of(personas, "majority", records)
