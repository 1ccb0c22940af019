from dataclasses import replace

import pytest

from harness.evidence import Evidence, Finding, PanelReport, StyleReport, TestReport, TestResult
from harness.gates import Outcome, judge, judge_style, judge_tests
from harness.rollout import Ending

GOOD = TestReport(
    expected=("a", "b"),
    tests=(TestResult(id="a", outcome="passed"), TestResult(id="b", outcome="passed")),
    canaries=32,
    canaries_failed=32,
    exit_code=1,
)
CLEAN = StyleReport(new=())
YES = PanelReport(votes=(), outcome="pass", reason="approved")


def test_tests_pass_with_every_expected_id_passed_and_every_canary_failed() -> None:
    assert judge_tests(GOOD).passed is True


@pytest.mark.parametrize("outcome", ["failed", "skipped", "xfailed", "xpassed", "error", "nonsense"])
def test_any_other_outcome_of_an_expected_test_fails(outcome: str) -> None:
    report = replace(GOOD, tests=(GOOD.tests[0], TestResult(id="b", outcome=outcome)))
    assert judge_tests(report).reason == "1 of 2 tests failed, first b"


@pytest.mark.parametrize(
    "report",
    [
        replace(GOOD, tests=GOOD.tests[:1]),
        replace(GOOD, tests=(*GOOD.tests, TestResult(id="c", outcome="passed"))),
        replace(GOOD, tests=(*GOOD.tests, GOOD.tests[0])),
    ],
    ids=["one absent", "one unknown", "one twice"],
)
def test_any_other_set_of_ids_is_no_evidence_and_fails(report: TestReport) -> None:
    assert judge_tests(report).reason.startswith("no evidence")


@pytest.mark.parametrize("report", [replace(GOOD, canaries_failed=31), replace(GOOD, exit_code=0), replace(GOOD, exit_code=None)])
def test_a_passing_canary_or_another_exit_code_is_tampering(report: TestReport) -> None:
    assert judge_tests(report).reason.startswith("tampered")


def test_a_problem_of_the_report_fails_with_its_words() -> None:
    assert judge_tests(replace(GOOD, problem="collection error: no module x")).reason == "collection error: no module x"


def test_only_findings_that_gate_fail_style() -> None:
    soft = Finding(rule="R1", path="a.py", line=1, message="m", key="k", gating=False)
    assert judge_style(StyleReport(new=(soft,))).passed is True
    assert judge_style(StyleReport(new=(soft, replace(soft, gating=True)))).passed is False


def test_a_finished_trial_is_judged_gate_by_gate() -> None:
    verdicts = judge(Ending.FINISHED, "", Evidence(tests=GOOD, style=CLEAN, review=YES))
    assert [verdict.outcome for verdict in verdicts] == [Outcome.PASS] * 3


def test_a_finished_trial_without_evidence_fails() -> None:
    assert [verdict.outcome for verdict in judge(Ending.FINISHED, "", Evidence())] == [Outcome.FAIL] * 3


@pytest.mark.parametrize("ending", list(Ending))
def test_every_ending_but_finished_gives_one_answer_for_all_gates(ending: Ending) -> None:
    if ending is Ending.FINISHED:
        return
    expected = Outcome.MISSING if ending.missing or ending is Ending.NOT_RUN else Outcome.FAIL
    assert {verdict.outcome for verdict in judge(ending, "why", Evidence(tests=GOOD))} == {expected}
