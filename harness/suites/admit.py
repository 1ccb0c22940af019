"""Admission: before a suite may spend a cent, each task proves in real containers that it can tell good work from none.

Checked per task: the reference passes tests and style, k of k; the untouched tree fails; a change of tests alone fails; the
reference with tests and a conftest of its own passes; planted lint is caught; every sample solution gets its label. A task that
fails is quarantined with its reasons and flip rate.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, ValidationError

from harness.errors import SuiteError
from harness.gates import Outcome, judge_style, judge_tests
from harness.rollout import Change
from harness.tree import Tree, difference, edited

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from harness.evaluate import Executor
    from harness.ports import Grader, Stylist
    from harness.task import Suite, Task

RECORD = "admission.json"
REPEATS = 2  # of the reference, beside the honest change with its own tests, which grades the same source a third time
OWN_TEST = "def test_of_the_agents_own():\n    assert 1 + 1 == 2\n"
OWN_CONFTEST = "collect_ignore_glob = ['*_none_like_this.py']\n"
LINT = "import os, sys\ndef planted( x ):\n  unused = 1\n"
SAMPLES = ((True, True), (True, False), (False, True), (False, False))  # labels (tests, style) of those that review refuses


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """One graded tree of an admission: what it is, and what tests and style must come to; None where either will do."""

    name: str
    after: Tree
    tests: bool | None
    style: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """One task's admission: the reasons against it (none: admitted) and the share of reference runs that did not pass."""

    task: str
    task_hash: str
    reasons: tuple[str, ...]
    flip_rate: float
    probes: int

    @property
    def admitted(self) -> bool:
        """Whether the task may be used."""
        return not self.reasons


class Admissions:
    """Runs admissions through a grader and a stylist."""

    def __init__(self, grader: Grader, stylist: Stylist, executor: Executor) -> None:
        self._grader = grader
        self._stylist = stylist
        self._executor = executor

    def run(self, tasks: Iterable[Task], *, quick: bool = False) -> tuple[Admission, ...]:
        """The tasks' admissions, in their order; `quick` grades the reference alone, once.

        Raises:
            TrialEndedError: the engine is at fault.
        """
        wanted = {task.id: (task, probes(task)[:1] if quick else probes(task)) for task in tasks}
        plans = [(task, probe) for task, found in wanted.values() for probe in found]
        reasons: dict[str, list[tuple[Probe, str]]] = {name: [] for name in wanted}
        for task, probe, reason in self._executor.map(lambda plan: self._graded(*plan), plans, lambda: None):
            reasons[task.id].append((probe, reason))
        return tuple(_admission(task, reasons[name]) for name, (task, _) in wanted.items())

    def _graded(self, task: Task, probe: Probe) -> tuple[Task, Probe, str]:
        change = Change(files=difference(task.base, probe.after), patch=b"")
        graded = self._grader.grade(task, change)
        try:
            style = judge_style(self._stylist.measure(task, change, graded.lint))
        except SuiteError as error:
            return task, probe, f"{probe.name}: the linter could not be used: {error}"
        tests = judge_tests(graded.tests)
        for verdict, wanted in ((tests, probe.tests), (style, probe.style)):
            if wanted is not None and (verdict.outcome is Outcome.PASS) is not wanted:
                return task, probe, f"{probe.name}: {verdict.gate} should {'pass' if wanted else 'fail'}: {verdict.reason}"
        return task, probe, ""


def probes(task: Task) -> tuple[Probe, ...]:
    """All trees that a task's admission grades, the reference first."""
    tests = {path: file for path, file in task.reference if path.startswith("tests/")}
    only_tests = task.base.overlaid(Tree.of(tests))
    own = task.reference.overlaid(Tree.of({"tests/test_own_addition.py": OWN_TEST, "tests/conftest.py": OWN_CONFTEST}))
    source = next((path for path, _ in task.reference if path.endswith(".py") and path.startswith("src/")), "planted.py")
    planted = task.reference.overlaid(Tree.of({source.rpartition("/")[0] + "/planted_lint.py": LINT}))
    found = [Probe(name=f"reference, run {run}", after=task.reference, tests=True, style=True) for run in range(1, REPEATS + 1)]
    found += [
        Probe(name="untouched tree", after=task.base, tests=False, style=None),
        Probe(name="tests alone changed", after=only_tests, tests=False, style=None),
        Probe(name="honest change with its own tests", after=own, tests=True, style=None),
        Probe(name="planted lint", after=planted, tests=True, style=False),
    ]
    return (*found, *_sample_probes(task))


def _sample_probes(task: Task) -> list[Probe]:
    if task.samples is None:
        return []
    labels = [(tests, style, False) for tests, style in SAMPLES]
    trees = [
        (label, edited(task.reference, task.samples.edits(tests=label[0], style=label[1], review=label[2]))) for label in labels
    ]
    defect = edited(task.reference, task.samples.defect)
    found = [Probe(name=f"sample {_name(label)}", after=tree, tests=label[0], style=label[1]) for label, tree in trees]
    return [*found, Probe(name="sample 110", after=defect, tests=True, style=True)]


def _name(label: tuple[bool, bool, bool]) -> str:
    return "".join(str(int(part)) for part in label)


def _admission(task: Task, graded: list[tuple[Probe, str]]) -> Admission:
    references = [reason for probe, reason in graded if probe.name.startswith("reference")]
    failed = sum(bool(reason) for reason in references)
    return Admission(
        task=task.id,
        task_hash=task.id_hash,
        reasons=tuple(reason for _, reason in graded if reason),
        flip_rate=failed / len(references) if references else 1.0,
        probes=len(graded),
    )


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
    hash: str
    admitted: bool
    reasons: tuple[str, ...] = ()
    probes: int = 0


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
    suite: str
    tools: dict[str, str]
    tasks: dict[str, _Entry]


def write_record(path: Path, suite: Suite, admissions: Iterable[Admission]) -> None:
    """The suite's admission record: what was admitted, by content hash, with which tools."""
    tasks = {
        one.task: _Entry(hash=one.task_hash, admitted=one.admitted, reasons=one.reasons, probes=one.probes) for one in admissions
    }
    record = _Record(suite=suite.id, tools=dict(suite.tools), tasks=tasks)
    path.write_text(record.model_dump_json(indent=1) + "\n", encoding="utf-8")


def require_admitted(folder: Path, suite: Suite) -> None:
    """Check that every task stands as admitted in the suite's record, with the very content and tools it has now.

    Raises:
        SuiteError: naming the first task that does not, why, and what to do.
    """
    known = _read_record(folder / RECORD)
    for task in suite.tasks:
        entry = known.tasks.get(task.id) if known and known.tools == dict(suite.tools) else None
        if entry is None or entry.hash != task.id_hash:
            raise SuiteError(
                f"{folder}: task {task.id} was never admitted as it stands; run: harness suite check {folder} --record"
            )
        if not entry.admitted:
            raise SuiteError(
                f"{folder}: task {task.id} is quarantined ({entry.reasons[0]}); mend it, or take it out of suite.toml"
            )


def admitted_tasks(folder: Path, suite: Suite) -> frozenset[str]:
    """The ids of all tasks that stand as admitted in the suite's record, with the very content and tools they have now.

    Raises:
        SuiteError: the record cannot be read.
    """
    known = _read_record(folder / RECORD)
    entries = known.tasks if known and known.tools == dict(suite.tools) else {}
    fits = {name for name, entry in entries.items() if entry.admitted}
    return frozenset(task.id for task in suite.tasks if task.id in fits and entries[task.id].hash == task.id_hash)


def to_check(folder: Path, suite: Suite) -> tuple[Task, ...]:
    """What a fresh machine still has to run: every task without a valid record, and one recorded task per project."""
    first = {task.project: task.id for task in reversed(suite.tasks)}
    fresh = admitted_tasks(folder, suite)
    return tuple(task for task in suite.tasks if task.id not in fresh or first[task.project] == task.id)


def _read_record(path: Path) -> _Record | None:
    try:
        return _Record.model_validate_json(path.read_text(encoding="utf-8"))
    except OSError:
        return None
    except ValidationError as error:
        raise SuiteError(
            f"{path}: not an admission record ({error.errors()[0]['msg']}); run harness suite check --record"
        ) from error
