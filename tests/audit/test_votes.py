"""Votes computed again from raw answers, by the reviewer files that a campaign has kept."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness.audit.replay import Replay, replay
from harness.evidence import Evidence, PanelReport, StyleReport, TestReport
from harness.gates import judge
from harness.ledger.rows import trial_rows
from harness.ledger.schema import CampaignRow
from harness.ledger.store import Store
from harness.review.personas import load_personas
from harness.rollout import Change, Ending, LoadEvidence, Rollout
from harness.tree import Tree, difference
from harness.trial import Trial
from tests.review.test_panel import BASE, KEY, SEATS, bad, change, clean, item, review, said, scripted

if TYPE_CHECKING:
    from harness.review.personas import Persona

SETTINGS = json.dumps({"gates": {"review": {"rule": "majority"}}})
TESTS = TestReport(expected=(), tests=(), canaries=1, canaries_failed=1, exit_code=0)


def replayed(folder: Path, report: PanelReport, personas: tuple[Persona, ...] = SEATS, shown: Change | None = None) -> Replay:
    """A ledger of one trial with this panel report, replayed."""
    evidence = Evidence(tests=TESTS, style=StyleReport(new=()), review=report)
    load = LoadEvidence(delivery="system", loaded=True, how="seen")
    rollout = Rollout(change=shown or change(), transcript="", calls=(), ending=Ending.FINISHED, cause="", load=load)
    trial = Trial(key=KEY, rollout=rollout, evidence=evidence, verdicts=judge(Ending.FINISHED, "", evidence))
    with Store.open(folder / "ledger.db", lambda: datetime(2026, 11, 30, tzinfo=UTC)) as store:
        ledger = store.campaign("c")
        kept = {persona.name: ledger.put_blob(persona.content) for persona in personas}
        plain = {"skill": "s", "suite": "s", "suite_hash": "", "holdout_hash": "", "rehearsal": True, "versions": {}}
        campaign = CampaignRow.model_validate({"key": "c", "settings": SETTINGS, "persona_blobs": kept, **plain})
        ledger.add(campaign, *trial_rows(trial, ledger.put_blob))
        return replay(store)


@pytest.mark.parametrize(
    "answers",
    [
        clean,
        bad,
        scripted({"secure:original:1": ("refusal", ""), "secure:original:2": ("max_tokens", "{")}),
        scripted({"fitting:original:1": ("end_turn", "no json"), "fitting:original:2": said(directed="approve!")}),
        scripted({"fitting:stripped:1": None}),
    ],
)
def test_every_kind_of_vote_and_its_outcome_comes_out_again(tmp_path: Path, answers: object) -> None:
    report, _ = review(answers)  # type: ignore[arg-type]
    found = replayed(tmp_path, report)
    assert (found.differences, found.votes) == ((), len(report.votes))


def test_a_vote_that_its_raw_answer_does_not_give_is_told(tmp_path: Path) -> None:
    report, _ = review(bad)
    forged = replace(report.votes[0], answer="yes", reason="no finding")
    (vote, panel) = replayed(tmp_path, replace(report, votes=(forged, *report.votes[1:]))).differences
    assert vote.of.endswith("correct, original view")
    assert (vote.recorded, vote.computed) == ("yes: no finding", "no: COR-1: Wrong for f(False).")
    assert panel.of.endswith(", panel")


def test_a_quote_is_looked_for_in_the_change_again_and_not_taken_from_the_record(tmp_path: Path) -> None:
    report, _ = review(bad)
    first = report.votes[0]
    items = (replace(first.items[0], supported=False, failed=False), *first.items[1:])
    unsupported = "no finding counts; without a quote that stands in the change: COR-1"
    forged = replace(first, answer="yes", reason=unsupported, items=items)
    found = replayed(tmp_path, replace(report, votes=(forged, *report.votes[1:]))).differences[0]
    assert (found.recorded, found.computed) == (f"yes: {unsupported}", "no: COR-1: Wrong for f(False).")


def test_a_quote_that_stands_in_no_kept_file_is_told(tmp_path: Path) -> None:
    report, _ = review(bad)
    other = Change(files=difference(BASE, Tree.of({"src/a.py": "def f(a):\n    return 0\n"})), patch=b"")
    found = replayed(tmp_path, report, shown=other).differences[0]
    assert found.computed == "yes: no finding counts; without a quote that stands in the change: COR-1"


def test_trials_from_before_changed_files_were_kept_have_their_quotes_from_the_record(tmp_path: Path) -> None:
    report, _ = review(bad)
    assert replayed(tmp_path, report, shown=Change(files=(), patch=b"")).same


def test_a_veto_asked_again_is_read_against_the_view_that_was_shown(tmp_path: Path) -> None:
    across = said(
        item("COR-1", "yes", "def f(a):\n    return a or 0", "Wrong for f(False)."), item("COR-2")
    )  # over the docstring
    report, _ = review(scripted({f"correct:stripped:{attempt}": across for attempt in ("1", "veto 1")}))
    assert [vote.view for vote in report.votes if vote.answer == "no"] == ["stripped", "stripped again"]
    assert replayed(tmp_path, report).same


def test_an_order_of_items_that_the_call_does_not_give_is_told(tmp_path: Path) -> None:
    report, _ = review(bad)
    assert replayed(tmp_path / "same", report).same
    for place in (0, 1):  # a veto, and the same asked again
        turned = replace(report.votes[place], order=report.votes[place].order[::-1])
        votes = (*report.votes[:place], turned, *report.votes[place + 1 :])
        (found,) = replayed(tmp_path / str(place), replace(report, votes=votes)).differences
        assert found.recorded == f"asked {', '.join(turned.order)}"


def test_an_outcome_that_its_votes_do_not_give_is_told(tmp_path: Path) -> None:
    report, _ = review(clean)
    (found,) = replayed(tmp_path, replace(report, outcome="fail")).differences
    assert (found.recorded.partition(":")[0], found.computed.partition(":")[0]) == ("fail", "pass")


def test_a_vote_of_a_reviewer_whose_file_was_not_kept_is_told(tmp_path: Path) -> None:
    report, _ = review(clean)
    found = replayed(tmp_path, report, SEATS[1:]).differences
    assert {difference.computed for difference in found if "view" in difference.of} == {"the campaign kept no such reviewer file"}


def test_a_campaign_recorded_before_files_were_kept_has_no_votes_to_compute(tmp_path: Path) -> None:
    report, _ = review(clean)
    assert replayed(tmp_path, report, ()).votes == 0


def test_reviewer_files_are_kept_byte_for_byte_under_their_identity() -> None:
    for persona in load_personas(Path("reviewers")):
        assert persona.content == Path(f"reviewers/{persona.name}.md").read_bytes()
