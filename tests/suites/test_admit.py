"""Admission over doubles: what a task must prove, and what its record is good for."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from harness.errors import SuiteError
from harness.evidence import Finding, StyleReport, TestReport, TestResult
from harness.executors.local import LocalExecutor
from harness.ports import Graded, LintRun, ToolRun
from harness.suites.admit import RECORD, Admission, Admissions, dropped_rules, probes, require_admitted, to_check, write_record
from harness.task import Suite, Task
from harness.tree import Tree, applied, edited

if TYPE_CHECKING:
    from pathlib import Path

    from harness.rollout import Change

CLEAN = ToolRun(exit_code=0, stdout=b"[]", stderr=b"")
LINT = LintRun(version="1", base_check=CLEAN, base_format=CLEAN, after_check=CLEAN, after_format=CLEAN)
UNTIDY = Finding(rule="E", path="a", line=1, message="m", key="k")


class Instruments:
    """Grader and stylist that know right from wrong in this project; the trees of `blind`, by id, they take for good."""

    def __init__(self, *blind: Tree) -> None:
        self._blind = {tree.id for tree in blind}

    def grade(self, task: Task, change: Change) -> Graded:
        """Tests pass where a discount is rounded in the customer's favour."""
        after = applied(task.base, change.files)
        good = "full - -(-full" in after.by_path["src/basket/prices.py"].text or after.id in self._blind
        results = tuple(TestResult(id=name, outcome="passed" if good else "failed") for name in task.expected)
        report = TestReport(expected=task.expected, tests=results, canaries=1, canaries_failed=1, exit_code=1)
        return Graded(tests=report, lint=LINT)

    def measure(self, task: Task, change: Change, lint: LintRun) -> StyleReport:  # noqa: ARG002  (the port's signature)
        """Style fails where blanks stand inside brackets."""
        after = applied(task.base, change.files)
        untidy = any("( " in file.text for path, file in after if path.endswith(".py"))
        return StyleReport(new=(UNTIDY,) if untidy and after.id not in self._blind else ())


def admitted(task: Task, *blind: Tree) -> Admission:
    instruments = Instruments(*blind)
    [found] = Admissions(instruments, instruments, LocalExecutor(1)).run((task,))
    return found


def probe(task: Task, name: str) -> Tree:
    return next(found.after for found in probes(task) if found.name == name)


def test_a_task_that_tells_good_work_from_none_is_admitted(task: Task) -> None:
    found = admitted(task)
    assert (found.reasons, found.flip_rate, found.probes) == ((), 0.0, 11)


@pytest.mark.parametrize(
    ("name", "gate"),
    [("untouched tree", "tests"), ("tests alone changed", "tests"), ("planted lint", "style"), ("sample 000", "tests")],
)
def test_a_task_that_takes_bad_work_for_good_is_quarantined_with_its_reason(task: Task, name: str, gate: str) -> None:
    found = admitted(task, probe(task, name))
    assert [reason.partition(" should")[0] for reason in found.reasons] == [f"{name}: {gate}"]


def test_a_task_whose_reference_fails_tells_how_often(task: Task) -> None:
    assert task.samples
    found = admitted(replace(task, reference=edited(task.reference, task.samples.behaviour), samples=None))
    assert (found.admitted, found.flip_rate, found.reasons[0].partition(" should")[0]) == (False, 1.0, "reference, run 1: tests")


@pytest.mark.parametrize(
    ("expected", "reported", "words"),
    [
        (
            ["t.py::test_p[café]"],
            [r"t.py::test_p[caf\xe9]"],
            r"no such test: t.py::test_p[café] (did you mean t.py::test_p[caf\xe9]?)",
        ),
        (["t.py::test_a", "t.py::zzz"], ["t.py::test_a"], "no such test: t.py::zzz"),
        (["t.py::test_a"], ["t.py::test_a", "t.py::test_b"], "no test of the task: t.py::test_b"),
        ([f"{n}" for n in "vwxyz"], ["a"], "no such test: v; no such test: w; no such test: x; and 2 more"),
    ],
)
def test_a_test_that_the_task_names_wrongly_is_named_with_the_nearest(
    task: Task, expected: list[str], reported: list[str], words: str
) -> None:
    class Runner(Instruments):
        """What pytest would report of the hidden tests."""

        def grade(self, task: Task, change: Change) -> Graded:
            """All that it collected passed."""
            results = tuple(TestResult(id=name, outcome="passed") for name in reported)
            return replace(super().grade(task, change), tests=replace(super().grade(task, change).tests, tests=results))

    wrong = replace(task, fail_to_pass=tuple(expected), pass_to_pass=())
    found = Admissions(Runner(), Runner(), LocalExecutor(1)).run((wrong,), quick=True)[0]
    assert found.reasons[0].partition(" unknown reported; ")[2] == words


def test_a_style_rule_that_the_reference_itself_breaks_is_dropped_for_its_task_and_planted_lint_must_still_be_caught(
    task: Task,
) -> None:
    class Picky(Instruments):
        """A house rule that the reference breaks, beside one that it keeps."""

        def measure(self, task: Task, change: Change, lint: LintRun) -> StyleReport:
            """The house rule is broken by every change; E as before."""
            return StyleReport(new=(replace(UNTIDY, rule="house"), *super().measure(task, change, lint).new))

    found = Admissions(Picky(), Picky(), LocalExecutor(1)).run((task,))[0]
    assert (found.reasons, found.dropped) == ((), ("house",))
    blind = Picky(probe(task, "planted lint"))
    assert Admissions(blind, blind, LocalExecutor(1)).run((task,))[0].reasons[0].startswith("planted lint: style should fail")


def test_a_reference_that_cannot_even_be_parsed_is_no_matter_of_rules(task: Task) -> None:
    class Broken(Instruments):
        """Every change is a syntax error."""

        def measure(self, task: Task, change: Change, lint: LintRun) -> StyleReport:  # noqa: ARG002  (the port's signature)
            """One finding that is no rule's."""
            return StyleReport(new=(replace(UNTIDY, rule="syntax-error"),))

    found = Admissions(Broken(), Broken(), LocalExecutor(1)).run((task,))[0]
    assert (found.dropped, found.reasons[0].partition(" should")[0]) == ((), "reference, run 1: style")


def test_lint_is_planted_where_the_projects_source_lies_by_a_path_of_its_own(task: Task) -> None:
    def planted(reference: Tree) -> set[str]:
        changed = replace(task, reference=reference, samples=None)
        return probe(changed, "planted lint").by_path.keys() - reference.by_path.keys()

    assert planted(task.reference) == {"src/basket/planted_lint.py"}
    assert planted(Tree.of({"basket.py": "A = 1\n"})) == {"planted_lint.py"}


def test_dropped_rules_are_read_back_from_the_record(tmp_path: Path, suite: Suite) -> None:
    assert dropped_rules(tmp_path) == {}
    record(tmp_path, suite)
    assert dropped_rules(tmp_path) == {}
    text = (tmp_path / RECORD).read_text(encoding="utf-8").replace('"dropped": []', '"dropped": ["house"]', 1)
    (tmp_path / RECORD).write_text(text, encoding="utf-8")
    assert dropped_rules(tmp_path) == {suite.tasks[0].id: ("house",)}


@pytest.fixture
def suite(task: Task) -> Suite:
    """Three tasks of two projects."""
    tasks = (task, replace(task, id="second"), replace(task, id="third", project="other", pack="other"))
    return Suite(id="s", version="1", tasks=tasks, packs=(("other", "rules = []"),), tools=(("ruff", "0.17.6"),))


def record(folder: Path, suite: Suite, *quarantined: str) -> None:
    admissions = [
        Admission(
            task=task.id,
            reasons=("it failed",) if task.id in quarantined else (),
            flip_rate=0.0,
            probes=1,
        )
        for task in suite.tasks
    ]
    write_record(folder / RECORD, suite, admissions)


def changed(suite: Suite) -> Suite:
    """The suite with another statement for its second task."""
    first, second, third = suite.tasks
    return replace(suite, tasks=(first, replace(second, instruction="Other."), third))


def test_a_suite_is_good_as_it_was_admitted_and_only_so(tmp_path: Path, suite: Suite) -> None:
    record(tmp_path, suite)
    require_admitted(tmp_path, suite)
    for other, name in (
        (changed(suite), "second"),
        (replace(suite, tools=(("ruff", "0.18"),)), "basket-discount"),
        (replace(suite, packs=(("other", "rules = [1]"),)), "third"),
    ):
        with pytest.raises(SuiteError, match=f"task {name} was never admitted as it stands"):
            require_admitted(tmp_path, other)


def test_a_quarantined_task_is_refused_with_its_reason(tmp_path: Path, suite: Suite) -> None:
    record(tmp_path, suite, "third")
    with pytest.raises(SuiteError, match=r"task third is quarantined \(it failed\)"):
        require_admitted(tmp_path, suite)


def test_a_suite_without_a_record_was_never_admitted(tmp_path: Path, suite: Suite) -> None:
    with pytest.raises(SuiteError, match="never admitted"):
        require_admitted(tmp_path, suite)


@pytest.mark.parametrize("content", [b"{}", b"\xff"])
def test_a_record_that_is_none_is_named(tmp_path: Path, suite: Suite, content: bytes) -> None:
    (tmp_path / RECORD).write_bytes(content)
    with pytest.raises(SuiteError, match="not an admission record"):
        require_admitted(tmp_path, suite)


def test_a_fresh_machine_checks_one_task_a_project_and_what_has_no_record(tmp_path: Path, suite: Suite) -> None:
    assert [task.id for task in to_check(tmp_path, suite)] == ["basket-discount", "second", "third"]
    record(tmp_path, suite)
    assert [task.id for task in to_check(tmp_path, suite)] == ["basket-discount", "third"]
    assert [task.id for task in to_check(tmp_path, changed(suite))] == ["basket-discount", "second", "third"]


def test_each_task_is_told_as_soon_as_its_references_and_then_its_other_trees_are_graded(task: Task) -> None:
    told: list[str] = []
    instruments = Instruments()
    second = replace(task, id="second")
    Admissions(instruments, instruments, LocalExecutor(1), told.append).run((task, second))
    assert [line.partition(":")[2] for line in told] == [" references graded"] * 2 + [" other trees graded"] * 2
    assert told[0].startswith(f"  [2/4] {task.id}: ")
    counted = told[3].partition("]")[0].strip(" [").split("/")
    assert counted[0] == counted[1]
