from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from harness.gates import Outcome, judge_tests
from harness.ports import ToolRun
from harness.sandbox.channel import Message
from harness.sandbox.evidence import test_report, tool_runs, unreadable

if TYPE_CHECKING:
    from harness.evidence import TestReport
    from harness.ports import Json

EXPECTED = ("test_a.py::test_one", "test_a.py::test_two[x]")
CANARIES = {"test_a.py::test_three": 2, "test_a.py::test_four": 1}
OUTCOMES = {
    "test_a.py::test_one": "passed",
    "test_a.py::test_two[x]": "passed",
    "test_a.py::test_three[1]": "failed",
    "test_a.py::test_three[2]": "error",
    "test_a.py::test_four": "failed",
}


def facts(outcomes: dict[str, str], code: int = 1) -> list[dict[str, Json]]:
    """An honest run's records."""
    tests: list[dict[str, Json]] = [
        {"kind": "test", "id": name, "outcome": outcome, "message": ""} for name, outcome in outcomes.items()
    ]
    found: list[dict[str, Json]] = [{"kind": "collected", "ids": list(outcomes)}, *tests, {"kind": "end", "code": code}]
    return [{"seq": number, **fact} for number, fact in enumerate(found)]


def report(records: bytes | list[dict[str, Json]], output: bytes = b"", **head: Json) -> TestReport:
    """The report made of a grader's last message."""
    lines = records if isinstance(records, bytes) else b"".join(json.dumps(fact).encode() + b"\n" for fact in records)
    said: dict[str, Json] = {"kind": "tests", "status": 1, "seconds": 0.5, "oom": 0, "records": len(lines), "truncated": False}
    return test_report(Message(head={**said, **head}, body=lines + output), EXPECTED, CANARIES, 9.0)


def test_an_honest_run_is_a_pass_with_all_canaries_failed() -> None:
    found = report(facts(OUTCOMES), b"said")
    assert (found.canaries, found.canaries_failed, found.exit_code, found.problem, found.output) == (3, 3, 1, "", "said")
    assert [test.id for test in found.tests] == list(EXPECTED)
    assert judge_tests(found).outcome is Outcome.PASS


@pytest.mark.parametrize(
    ("records", "problem"),
    [
        (b"not json\n", "no evidence: a record cannot be read"),
        (b'{"seq": 0, "kind": "end", "code": NaN}\n', "no evidence: a record cannot be read"),
        (b'{"seq": 0, "kind": "test", "id": 1}\n', "no evidence: a record cannot be read"),
        (b"\xff\xfe\n", "no evidence: a record cannot be read"),
        (b"[" * 100_000 + b"\n", "no evidence: a record cannot be read"),
        (b"", "no evidence: the test process ended before its report (status 1)"),
        (facts(OUTCOMES)[1:], "no evidence: records are missing or out of order"),
        ([*facts(OUTCOMES)[:2], *facts(OUTCOMES)[1:]], "no evidence: records are missing or out of order"),
        (
            [{"seq": 0, "kind": "collected", "ids": []}, *facts(OUTCOMES)[1:]],
            "no evidence: the tests that ran are not those that were collected",
        ),
        (
            [
                {"seq": 0, "kind": "uncollected", "id": "a.py", "message": "ImportError: x"},
                {"seq": 1, "kind": "uncollected", "id": "b.py::TestB", "message": "ImportError: y"},
                {"seq": 2, "kind": "end", "code": 2},
            ],
            "collection error in a.py, b.py: ImportError: x",
        ),
    ],
)
def test_absent_or_contradictory_records_are_no_evidence(records: bytes | list[dict[str, Json]], problem: str) -> None:
    found = report(records)
    assert found.problem.startswith(problem)
    assert judge_tests(found).outcome is Outcome.FAIL


@pytest.mark.parametrize(
    ("head", "problem"),
    [
        ({"oom": 1, "status": -9}, "out of memory while the tests ran"),
        ({"seconds": "soon"}, "no evidence: the grader's report cannot be read"),
        ({"kind": "lint"}, "no evidence: the grader's report cannot be read"),
        ({"extra": 1}, "no evidence: the grader's report cannot be read"),
    ],
)
def test_the_supervisors_own_word_comes_first(head: dict[str, Json], problem: str) -> None:
    assert report(facts(OUTCOMES), **head).problem.startswith(problem)


def test_the_place_of_a_record_that_cannot_be_read_is_told() -> None:
    good = b'{"seq": 0, "kind": "end", "code": 1}\n'
    assert report(good + b"junk\n").problem.startswith(f"no evidence: a record cannot be read (at byte {len(good)}): ")
    assert [unreadable(report(records)) for records in (good + b"junk\n", good, b"")] == [True, False, False]


def test_tests_that_were_still_running_at_the_limit_have_timed_out() -> None:
    assert report(facts(OUTCOMES)[:-2], status=None).problem == "timed out after 9 s"


def test_tests_that_had_all_ended_at_the_limit_keep_their_results_and_did_not_exit() -> None:
    for records in (facts(OUTCOMES), facts(OUTCOMES)[:-1]):
        found = report(records, status=None)
        assert found.problem == "finished but did not exit: all 5 tests had ended, and their process was killed after 9 s"
        assert [test.outcome for test in found.tests] == ["passed", "passed"]
        assert judge_tests(found).outcome is Outcome.FAIL


@pytest.mark.parametrize(
    "outcomes",
    [
        {**OUTCOMES, "test_a.py::test_four": "passed"},
        {**OUTCOMES, "test_a.py::test_four": "skipped"},
        {name: outcome for name, outcome in OUTCOMES.items() if "four" not in name},
        {**OUTCOMES, "test_a.py::test_three[3]": "failed"},
        {name: outcome for name, outcome in OUTCOMES.items() if "one" not in name},
        {**OUTCOMES, "test_a.py::test_new": "passed"},
        {**OUTCOMES, "test_a.py::test_one": "skipped"},
    ],
)
def test_a_canary_that_does_not_fail_once_or_a_wrong_id_is_a_fail(outcomes: dict[str, str]) -> None:
    assert judge_tests(report(facts(outcomes))).outcome is Outcome.FAIL


def test_linter_runs_are_cut_from_the_body_by_their_sizes() -> None:
    head: Json = {"kind": "lint", "runs": [{"code": 1, "sizes": [2, 0]}, {"code": 0, "sizes": [0, 3]}]}
    runs = (ToolRun(exit_code=1, stdout=b"[]", stderr=b""), ToolRun(exit_code=0, stdout=b"", stderr=b"err"))
    assert runs == tool_runs(Message(head=head, body=b"[]err"))
    with pytest.raises(ValueError, match="do not add up"):
        tool_runs(Message(head=head, body=b"[]"))
