"""The three gates and their verdicts: evidence in, verdict out, pure.

Owns the names of the gates and the rule from evidence to pass, fail or missing. How evidence is measured is the instruments'.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from harness.rollout import Ending

if TYPE_CHECKING:
    from harness.evidence import Evidence, PanelReport, StyleReport, TestReport


class Gate(StrEnum):
    """The three gates, in their fixed order."""

    TESTS = "tests"
    STYLE = "style"
    REVIEW = "review"


class Outcome(StrEnum):
    """One gate's answer on one trial."""

    PASS = "pass"  # noqa: S105  (a verdict, not a password)
    FAIL = "fail"
    MISSING = "missing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """One gate's answer on one trial, with the reason in words."""

    gate: Gate
    outcome: Outcome
    reason: str

    @property
    def passed(self) -> bool | None:
        """True, False, or None where missing."""
        return None if self.outcome is Outcome.MISSING else self.outcome is Outcome.PASS


def judge_tests(report: TestReport) -> Verdict:
    """Pass needs all: the exact id set, every expected test passed, every canary failed, the exit code that goes with it."""
    if report.problem:
        return _fail(Gate.TESTS, report.problem)
    outcomes = {test.id: test.outcome for test in report.tests}
    unknown = sorted(outcomes.keys() - set(report.expected))
    absent = [test for test in report.expected if test not in outcomes]
    if unknown or absent or len(outcomes) != len(report.tests):
        return _fail(Gate.TESTS, f"no evidence: {len(absent)} expected tests absent, {len(unknown)} unknown reported")
    if report.canaries_failed != report.canaries or report.exit_code != 1:
        return _fail(
            Gate.TESTS,
            f"tampered: {report.canaries_failed} of {report.canaries} canaries failed, exit code {report.exit_code}",
        )
    failed = [test for test in report.expected if outcomes[test] != "passed"]
    if failed:
        return _fail(Gate.TESTS, f"{len(failed)} of {len(report.expected)} tests failed, first {failed[0]}")
    return _pass(Gate.TESTS, f"all {len(report.expected)} tests passed")


def judge_style(report: StyleReport) -> Verdict:
    """Pass means no new violation of a rule that gates; findings of reporting rules do not count."""
    hard = [finding for finding in report.new if finding.gating]
    if hard:
        rules = sorted({finding.rule for finding in hard})
        return _fail(Gate.STYLE, f"{len(hard)} new violations: {', '.join(rules[:5])}")
    return _pass(Gate.STYLE, f"no new violation ({len(report.existing)} were there before)")


def judge_review(report: PanelReport) -> Verdict:
    """The panel's derived answer; a fault of the service is missing, a change that cannot be reviewed fails."""
    return Verdict(gate=Gate.REVIEW, outcome=Outcome(report.outcome), reason=report.reason)


def same_for_all(outcome: Outcome, reason: str) -> tuple[Verdict, Verdict, Verdict]:
    """All three gates with one answer, for a trial whose ending left nothing to judge."""
    tests, style, review = (Verdict(gate=gate, outcome=outcome, reason=reason) for gate in Gate)
    return tests, style, review


def _pass(gate: Gate, reason: str) -> Verdict:
    return Verdict(gate=gate, outcome=Outcome.PASS, reason=reason)


def _fail(gate: Gate, reason: str) -> Verdict:
    return Verdict(gate=gate, outcome=Outcome.FAIL, reason=reason)


def judge(ending: Ending, cause: str, evidence: Evidence) -> tuple[Verdict, Verdict, Verdict]:
    """The three verdicts of a trial. Only a finished one is judged; our faults are missing, all other endings fail every gate."""
    if ending.missing or ending is Ending.NOT_RUN:
        return same_for_all(Outcome.MISSING, f"{ending}: {cause}")
    if ending is not Ending.FINISHED:
        return same_for_all(Outcome.FAIL, f"{ending}: {cause}" if cause else str(ending))
    return (
        judge_tests(evidence.tests) if evidence.tests else _fail(Gate.TESTS, "no evidence"),
        judge_style(evidence.style) if evidence.style else _fail(Gate.STYLE, "no evidence"),
        judge_review(evidence.review) if evidence.review else _fail(Gate.REVIEW, "no evidence"),
    )
