import json
from pathlib import Path

import pytest

from harness.errors import LedgerError
from harness.evidence import Evidence, Finding, Item, PanelReport, StyleReport, TestReport, TestResult, Vote
from harness.gates import judge_review, judge_style, judge_tests
from harness.ledger.blobs import BlobStore
from harness.ledger.rows import blobs_of, call_rows, pack_tree, trial_document, trial_evidence, trial_rows, unpack_tree
from harness.ledger.schema import CallRow, TrialRow, UsageModel, VariantRow, VoteRow
from harness.rollout import Call, Change, Ending, LoadEvidence, Rollout, Usage
from harness.tree import EXECUTABLE, File, FileChange, Tree
from harness.trial import Arm, Stage, Trial, TrialKey

ODD = "caf\udce9/\u202ename.py"


def trial() -> Trial:
    tests = TestReport(
        expected=("t::a", "t::b"),
        tests=(TestResult(id="t::a", outcome="passed"), TestResult(id="t::b", outcome="failed", message="1 != 2")),
        canaries=32,
        canaries_failed=32,
        exit_code=1,
        output="raw \udcff output",
    )
    finding = Finding(rule="E501", path=ODD, line=3, message="long", key="k", quote="x = 1")
    style = StyleReport(new=(finding,), dropped=("D100",))
    item = Item(id="COR-1", answer="yes", finding="off by one", trigger="n=0", file=ODD, quote="n", supported=True, failed=True)
    votes = tuple(
        Vote(
            reviewer="correctness",
            persona_id="p" * 64,
            view=view,
            answer="no",
            reason="COR-1",
            items=(item,),
            raw='{"items": []}',
        )
        for view in ("original", "stripped")
    )
    review = PanelReport(votes=votes, outcome="fail", reason="veto by correctness")
    calls = (
        Call(role="agent", model="m", usage=Usage(input=10, output=2, calls=1), cost_usd=0.5, request_id="r1"),
        Call(role="agent", model="m", usage=Usage(input=20, output=3, calls=1), cost_usd=None, request_id="r2"),
    )
    change = Change(
        files=(FileChange(path=ODD, old=None, new=File(content=b"\xff")),),
        patch=b"diff --git \xff\0 binary",
        renames=(("a", ODD),),
        refused=("link",),
    )
    return Trial(
        key=TrialKey(stage=Stage.CONFIRM, confirmation="c-1", arm=Arm.VARIANT, variant="v" * 64, task="t1", repeat=2),
        rollout=Rollout(
            change=change,
            transcript='{"text": "\u00e9 \udce9"}\n',
            calls=calls,
            ending=Ending.FINISHED,
            cause="",
            load=LoadEvidence(delivery="system", loaded=True, text_hash="h", how="found in request 1"),
        ),
        evidence=Evidence(tests=tests, style=style, review=review),
        verdicts=(judge_tests(tests), judge_style(style), judge_review(review)),
        flags=("edited tests",),
        dropped=("conftest.py",),
        cost_usd=None,
        seconds=(("agent", 1.5), ("grade", 0.4)),
    )


@pytest.fixture
def blobs(tmp_path: Path) -> BlobStore:
    return BlobStore(tmp_path)


def test_a_trial_becomes_its_row_its_votes_and_its_calls(blobs: BlobStore) -> None:
    review = (Call(role="reviewer/correctness", model="m", usage=Usage(output=7, calls=1), cost_usd=0.1),)
    row, *rest = trial_rows(trial(), blobs.put, review)
    assert isinstance(row, TrialRow)
    assert row.key == f"confirm/c-1/variant/{'v' * 16}/t1/2"
    assert row.verdicts == {"tests": "fail", "style": "fail", "review": "fail"}
    assert row.reasons["tests"] == "1 of 2 tests failed, first t::b"
    assert row.usage == UsageModel(input=30, output=12, calls=3)
    assert (row.cost_usd, row.seconds, row.flags) == (None, {"agent": 1.5, "grade": 0.4}, ("edited tests",))
    assert [type(other) for other in rest] == [VoteRow, VoteRow, CallRow, CallRow, CallRow]
    assert [other.key.removeprefix(row.key) for other in rest] == [
        "#correctness#original",
        "#correctness#stripped",
        "#agent#1",
        "#agent#2",
        "#reviewer/correctness#1",
    ]


def test_the_evidence_reads_back_equal_and_gives_the_same_verdicts(blobs: BlobStore) -> None:
    row = trial_rows(trial(), blobs.put)[0]
    assert isinstance(row, TrialRow)
    assert trial_evidence(row, blobs.get) == trial().evidence


def test_delivery_and_what_was_refused_read_back(blobs: BlobStore) -> None:
    row = trial_rows(trial(), blobs.put)[0]
    assert isinstance(row, TrialRow)
    document = trial_document(row, blobs.get)
    assert (document.load, document.refused, document.renames) == (trial().rollout.load, ("link",), (("a", ODD),))


def test_change_and_transcript_are_stored_byte_for_byte(blobs: BlobStore) -> None:
    row = trial_rows(trial(), blobs.put)[0]
    assert isinstance(row, TrialRow)
    assert blobs.get(row.change_blob) == trial().rollout.change.patch
    assert blobs.get(row.transcript_blob).decode("utf-8", "surrogatepass") == trial().rollout.transcript


def test_every_blob_that_a_row_needs_is_told(blobs: BlobStore) -> None:
    rows = trial_rows(trial(), blobs.put)
    assert {name for row in rows for name in blobs_of(row)} == set(blobs.names())


def test_a_row_without_blobs_needs_none() -> None:
    assert [blobs_of(row) for row in call_rows("s", trial().rollout.calls)] == [(), ()]


def test_a_damaged_document_is_a_ledger_error(blobs: BlobStore) -> None:
    row = trial_rows(trial(), blobs.put)[0]
    assert isinstance(row, TrialRow)
    broken = row.model_copy(update={"evidence_blob": blobs.put(b'{"tests": 3}')})
    with pytest.raises(LedgerError, match=r"trial confirm/.*not as this version writes it"):
        trial_evidence(broken, blobs.get)


def test_a_skill_of_any_bytes_packs_and_unpacks() -> None:
    tree = Tree.of(
        {"SKILL.md": "text é\r\n", ODD: b"\xff\0", "run.sh": File(content=b"#!/bin/sh\n", mode=EXECUTABLE), "empty": b""}
    )
    packed = pack_tree(tree)
    assert unpack_tree(packed) == tree
    assert unpack_tree(packed).id == tree.id
    assert json.loads(packed)["files"][0] == {"path": "SKILL.md", "mode": 0o100644, "text": "text é\r\n"}


def test_an_empty_blob_field_names_no_blob() -> None:
    row = VariantRow(
        key="generation/1", generation=1, batch=1, variant="v", parent="p", operator="reflect", rationale="", find="", replace="",
        name="", tree_blob="", refused="leak",
    )  # fmt: skip
    assert blobs_of(row) == ()
