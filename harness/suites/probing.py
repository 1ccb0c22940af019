"""Runs a project's tests on given trees in fresh grading containers, and proves that a pair of trees makes a task.

A test counts by its id and outcome in every run; what is not the same in all runs, or does not pass on the reference, is left
out of the task by a conftest of the suite's own, since a grading wants every test that is run.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

from harness.errors import DockerUnavailableError, SuiteError
from harness.gates import Outcome, judge_tests
from harness.left_out import leaving_out
from harness.ports import TrialEndedError
from harness.pytest_settings import pytest_settings
from harness.rollout import Change
from harness.suites.rejected import Reason, Rejected
from harness.task import Split, Task
from harness.tree import Tree, matches

if TYPE_CHECKING:
    from collections.abc import Collection

    from harness.evidence import TestReport
    from harness.ports import Graded
    from harness.suites.environment import Resolution

REPEATS = 3  # of base and reference alike
TRIES = 2  # of a run whose grader failed
MOST_TESTS = 1000  # what one report can hold of tests that nobody named beforehand
MOST_BYTES = 16 * 1024 * 1024  # of a tree: an order holds base, reference and tests
TEST_MODULE = re.compile(r"(?:^|/)(?:test_[^/]*|[^/]*_test)\.py$")
TEST_FILE = re.compile(r"(?:^|/)(?:tests?|testing)/|(?:^|/)conftest\.py$")
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{6,}")


class Lab(Protocol):
    """Grading containers for any set of requirements: what `DockerSandbox` is."""

    @property
    def pythons(self) -> tuple[str, ...]:
        """The versions of Python that there may be inside, as "3.11"; the first is the sandbox's own."""
        ...

    def has(self, python: str) -> bool:
        """Whether that Python can be had; it is made ready."""
        ...

    def resolve(self, requirements: tuple[str, ...], constraints: tuple[str, ...], python: str) -> Resolution:
        """Pins for requirements on a Python, the suite's tools among them, or why there are none."""
        ...

    def provide(self, task: Task) -> None:
        """Have an image with the task's requirements, and without the packages that it is about.

        Raises:
            DockerUnavailableError: it cannot be built.
            SuiteError: it holds one of these packages.
        """
        ...

    def grade(self, task: Task, change: Change) -> Graded:
        """Grade in a fresh container. Raises TrialEndedError."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """What stays the same over a project's probes: hidden tests, packages (`name==version`), seconds a run may take.

    `today` (ISO) makes ids that hold the date unstable, though they are the same in every run of one day.
    """

    project: str
    hidden: Tree
    requirements: tuple[str, ...] = ()
    seconds: float = 60.0
    today: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcomes:
    """One run: ids that passed, all others with their outcome and message, what was wrong with the run, and its seconds."""

    passed: frozenset[str]
    others: dict[str, tuple[str, str]]
    report: TestReport
    seconds: float

    @property
    def seen(self) -> frozenset[str]:
        """All ids."""
        return self.passed.union(self.others)

    @property
    def problem(self) -> str:
        """Why there is no usable evidence; empty where there is."""
        return self.report.problem

    @property
    def log(self) -> str:
        """All that was said of failures, for a person and for second tries."""
        said = [f"{name}: {outcome}: {message}" for name, (outcome, message) in sorted(self.others.items()) if message]
        return "\n".join([*([self.problem] if self.problem else []), *said, self.report.output])


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """What makes two trees a task: ids by kind, the hidden tests with what is left out, and seconds of a run."""

    fail_to_pass: tuple[str, ...]
    pass_to_pass: tuple[str, ...]
    hidden: Tree
    kind: str
    seconds: float
    left_out: tuple[str, ...] = field(default=())


def is_test(path: str) -> bool:
    """Whether a path is a test module, or lies among tests."""
    return bool(TEST_MODULE.search(path) or TEST_FILE.search(path))


def hidden_tests(tree: Tree, changed: Collection[str] | None = None) -> Tree:
    """The hidden tests of a tree: of its test modules only the changed ones, of their helpers and data all.

    Where a helper is among the changed files, and where `changed` is None, these are all test modules. A module outside the
    project's `testpaths` is none of its tests: it may belong to a sample project that they work on. Where there is no module
    inside, they say nothing, as for pytest.
    """
    helpers = changed is None or any(path.endswith(".py") and is_test(path) and not TEST_MODULE.search(path) for path in changed)
    places = [pattern for place in pytest_settings(tree).testpaths for pattern in (place, f"{place}/**")]
    modules = {path for path, _ in tree if TEST_MODULE.search(path)}
    inside = {path for path in modules if matches(path, places)} or modules
    wanted = inside if helpers else inside.intersection(changed or ())
    return Tree(files=tuple((path, file) for path, file in tree if path in wanted or (is_test(path) and path not in modules)))


def outcomes(lab: Lab, bench: Bench, tree: Tree) -> Outcomes:
    """One run of the hidden tests over a tree, in a fresh container.

    Raises:
        Rejected: it took too long, or used too much memory.
        DockerUnavailableError: the grader failed by no fault of the tree, and a second one too.
    """
    report = _report(lab, _task(bench, tree))
    if report.problem.startswith("timed out"):
        raise Rejected(Reason.TIMEOUT, f"the tests {report.problem}", report.output)
    if report.problem.startswith("out of memory"):
        raise Rejected(Reason.ENVIRONMENT, report.problem, report.output)
    if len(report.tests) >= MOST_TESTS:
        raise Rejected(Reason.TOO_MANY_TESTS, f"{MOST_TESTS} tests or more in one run")
    others = {test.id: (test.outcome, test.message) for test in report.tests if test.outcome != "passed"}
    passed = frozenset(test.id for test in report.tests).difference(others)
    return Outcomes(passed=passed, others=others, report=report, seconds=report.seconds)


def _report(lab: Lab, task: Task) -> TestReport:
    """The tests' report; a grader that failed by no fault of the tree has a second one, so that a long run outlives it."""
    fault = ""
    for _ in range(TRIES):
        try:
            return lab.grade(task, Change(files=(), patch=b"")).tests
        except TrialEndedError as error:
            if not error.ending.missing:
                raise Rejected(Reason.ENVIRONMENT, error.cause) from error
            fault = error.cause
    raise DockerUnavailableError(f"the tests cannot be run: {fault}")


def proven(lab: Lab, bench: Bench, base: Tree, reference: Tree, *, first: Outcomes | None = None) -> Proof:
    """Whether hidden tests fail on the base and pass on the reference, the same in every run; which of them do.

    `first` is a run of the reference that was made already.

    Raises:
        Rejected: no test tells the two apart, or not every time.
        DockerUnavailableError: a grader failed by no fault of the trees.
    """
    after = [first or outcomes(lab, bench, reference)]
    before = [outcomes(lab, bench, base)]
    if after[0].problem:
        raise Rejected(Reason.ENVIRONMENT, f"on the fix: {after[0].problem}", after[0].log)
    if not after[0].passed - before[0].passed:
        raise Rejected(Reason.NOT_TOLD_APART, _nothing_told(after[0], before[0]), after[0].log)
    after += [outcomes(lab, bench, reference) for _ in range(REPEATS - 1)]
    before += [outcomes(lab, bench, base) for _ in range(REPEATS - 1)]
    left_out = _left_out(after, before, bench.today)
    kept = frozenset.intersection(*(run.passed for run in after))
    kept = frozenset(name for name in kept if not {name, _function(name)} & left_out)
    passing = kept.intersection(*(run.passed for run in before))
    failing = kept.difference(*(run.passed for run in before))
    if not failing:
        raise Rejected(Reason.UNSTABLE, f"what told base and fix apart once is not stable: {min(left_out)}")
    proof = Proof(
        fail_to_pass=tuple(sorted(failing)),
        pass_to_pass=tuple(sorted(passing)),
        hidden=leaving_out(bench.hidden, left_out) if left_out else bench.hidden,
        kind="behaviour" if any(failing & run.seen for run in before) else "import-level",
        seconds=max(run.seconds for run in after),
        left_out=tuple(sorted(left_out)),
    )
    last = outcomes(lab, replace(bench, hidden=proof.hidden), reference) if left_out else after[-1]
    verdict = judge_tests(replace(last.report, expected=(*proof.fail_to_pass, *proof.pass_to_pass)))
    if verdict.outcome is not Outcome.PASS:
        raise Rejected(Reason.UNSTABLE, f"the fix does not pass again: {verdict.reason}", last.log)
    return proof


def require_small(tree: Tree) -> None:
    """Refuse a tree that is too large for a grading order. Raises Rejected."""
    size = sum(len(file.content) for _, file in tree)
    if size > MOST_BYTES:
        raise Rejected(Reason.SIZE, f"the tree has {size // 1024 // 1024} MB, at most {MOST_BYTES // 1024 // 1024} can be graded")


def provided(lab: Lab, bench: Bench, tree: Tree) -> None:
    """Have the image, or reject the candidate: its packages cannot be had, or hold the project itself.

    Raises:
        Rejected: as said.
    """
    try:
        lab.provide(_task(bench, tree))
    except (DockerUnavailableError, SuiteError) as error:
        raise Rejected(Reason.ENVIRONMENT, str(error).splitlines()[0], str(error)) from error


def _task(bench: Bench, tree: Tree) -> Task:
    """A task of which nothing is expected: its grading tells all."""
    return Task(
        id=f"{bench.project}-probe",
        project=bench.project,
        split=Split.DEV,
        instruction="",
        difficulty="",
        kind="",
        interface=(),
        base=tree,
        reference=tree,
        hidden=bench.hidden,
        fail_to_pass=(),
        pass_to_pass=(),
        pack="",
        requirements=bench.requirements,
        tests_seconds=bench.seconds,
    )


def _nothing_told(after: Outcomes, before: Outcomes) -> str:
    if not after.seen:
        return "no test is found on the fix"
    if not after.passed:
        name, (outcome, message) = min(after.others.items())
        return f"no test passes on the fix; {name}: {outcome} {message.strip().splitlines()[-1:] or ''}"
    return (
        f"every test that passes on the fix, {len(after.passed)} in all, passes on the parent too"
        if before.passed
        else "nothing passes"
    )


def _function(name: str) -> str:
    return name.partition("[")[0]


def _left_out(after: list[Outcomes], before: list[Outcomes], today: str) -> frozenset[str]:
    """Ids to leave out; for ids that are not in every run, or would change with the day, their function."""
    seen = [run.seen for run in after]
    everywhere, anywhere = frozenset.intersection(*seen), frozenset.union(*seen)
    moving = anywhere - everywhere | {name for name in anywhere if _ADDRESS.search(name) or (today and today in name)}
    functions = {_function(name) for name in moving}
    stable = frozenset.intersection(*(run.passed for run in after))
    torn = frozenset.union(*(run.passed for run in before)) - frozenset.intersection(*(run.passed for run in before))
    failing = {name for name in everywhere - stable | (torn & stable) if _function(name) not in functions}
    return frozenset(functions | failing)
