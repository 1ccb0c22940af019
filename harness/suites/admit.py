"""Admission: before a suite may spend a cent, each task proves in real containers that it can tell good work from none.

Checked per task: the reference passes tests and style, k of k; the untouched tree fails; a change of tests alone fails; the
reference with tests and a conftest of its own passes; planted lint is caught; every sample solution gets its label. A task that
fails is quarantined with its reasons and flip rate. A style rule that the reference itself breaks is dropped for its task, told.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from difflib import get_close_matches
from shlex import quote
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, ValidationError

from harness.errors import SuiteError
from harness.gates import Outcome, judge_style, judge_tests
from harness.rollout import Change
from harness.tree import Tree, difference, edited

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from harness.evaluate import Executor
    from harness.evidence import TestReport
    from harness.ports import Grader, Stylist
    from harness.task import Suite, Task

RECORD = "admission.json"
REPEATS = 2  # of the reference, beside the honest change with its own tests, which grades the same source a third time
OWN_TEST = "def test_of_the_agents_own():\n    assert 1 + 1 == 2\n"
OWN_CONFTEST = "collect_ignore_glob = ['*_none_like_this.py']\n"
LINT = "import os, sys\ndef planted( x ):\n  unused = 1\n"
NO_RULES = frozenset({"linter", "syntax-error"})  # what a reference may never do, whatever the project's rules are
MOST_NAMED = 3  # test ids in one reason
SAMPLES = ((True, True), (True, False), (False, True), (False, False))  # labels (tests, style) of those that review refuses


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """One graded tree of an admission: what it is, and what tests and style must come to; None where either will do."""

    name: str
    after: Tree
    tests: bool | None
    style: bool | None

    @property
    def reference(self) -> bool:
        """Whether it is the task's own solution."""
        return self.name.startswith("reference")


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """One task's admission: the reasons against it (none: admitted) and the share of reference runs that did not pass.

    `dropped` are the style rules that its own reference breaks; they do not count for the task.
    """

    task: str
    reasons: tuple[str, ...]
    flip_rate: float
    probes: int
    dropped: tuple[str, ...] = ()

    @property
    def admitted(self) -> bool:
        """Whether the task may be used."""
        return not self.reasons


class Admissions:
    """Runs admissions through a grader and a stylist."""

    def __init__(
        self, grader: Grader, stylist: Stylist, executor: Executor, tell: Callable[[str], None] = lambda _: None
    ) -> None:
        """`tell` is given a line whenever a task's references, and then its other trees, are graded."""
        self._grader = grader
        self._stylist = stylist
        self._executor = executor
        self._tell = tell

    def run(self, tasks: Iterable[Task], *, quick: bool = False) -> tuple[Admission, ...]:
        """The tasks' admissions, in their order; `quick` grades the reference alone, once.

        Raises:
            TrialEndedError: the engine is at fault.
        """
        wanted = {task.id: (task, probes(task)[:1] if quick else probes(task)) for task in tasks}
        plans = [(task, probe) for task, found in wanted.values() for probe in found]
        first, rest = ([plan for plan in plans if plan[1].reference is kind] for kind in (True, False))
        references = self._told(
            "references", first, self._executor.map(lambda plan: self._graded(*plan, ()), first, lambda: None)
        )
        dropped = {name: _broken(one for one in references if one.task.id == name) for name in wanted}
        others = self._executor.map(lambda plan: self._graded(*plan, dropped[plan[0].id]), rest, lambda: None)
        graded = [*references, *self._told("other trees", rest, others)]
        return tuple(
            _admission(task, [one for one in graded if one.task.id == name], dropped[name]) for name, (task, _) in wanted.items()
        )

    def _told(self, what: str, plans: Sequence[tuple[Task, Probe]], graded: Iterable[_Graded]) -> list[_Graded]:
        left, found = Counter(task.id for task, _ in plans), list[_Graded]()
        for one in graded:
            found.append(one)
            left[one.task.id] -= 1
            if not left[one.task.id]:
                self._tell(f"  [{len(found)}/{len(plans)}] {one.task.id}: {what} graded")
        return found

    def _graded(self, task: Task, probe: Probe, dropped: tuple[str, ...]) -> _Graded:
        """One probe's grading; of a reference, the rules that it breaks are not held against the task."""
        change = Change(files=difference(task.base, probe.after), patch=b"")
        graded = self._grader.grade(task, change)
        try:
            report = self._stylist.measure(task, change, graded.lint)
        except SuiteError as error:
            return _Graded(task=task, probe=probe, reason=f"{probe.name}: the linter could not be used: {error}")
        broken = {item.rule for item in report.new if item.gating} - NO_RULES
        ignored = broken if probe.reference else set(dropped)
        style = judge_style(replace(report, new=tuple(item for item in report.new if item.rule not in ignored)))
        tests = judge_tests(graded.tests)
        reasons = (
            f"{probe.name}: {verdict.gate} should {'pass' if wanted else 'fail'}: {verdict.reason}{more}"
            for verdict, wanted, more in ((tests, probe.tests, _misnamed(graded.tests)), (style, probe.style, ""))
            if wanted is not None and (verdict.outcome is Outcome.PASS) is not wanted
        )
        return _Graded(task=task, probe=probe, reason=next(reasons, ""), broken=tuple(sorted(broken)))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Graded:
    """One probe's outcome: the reason against the task, and the style rules broken."""

    task: Task
    probe: Probe
    reason: str
    broken: tuple[str, ...] = ()


def _misnamed(report: TestReport) -> str:
    """The ids that the task names and pytest does not, with the nearest that it does, and those that only pytest names."""
    reported = {test.id for test in report.tests}
    if report.problem or reported == set(report.expected):
        return ""
    absent = [name for name in report.expected if name not in reported]
    unlisted = sorted(reported - set(report.expected))
    told = [f"no such test: {name}{_meant(get_close_matches(name, unlisted, MOST_NAMED))}" for name in absent]
    told += [f"no test of the task: {name}" for name in unlisted] if not absent else []
    left = f"; and {len(told) - MOST_NAMED} more" if len(told) > MOST_NAMED else ""
    return "".join(f"; {one}" for one in told[:MOST_NAMED]) + left


def _meant(names: Sequence[str]) -> str:
    return f" (did you mean {' or '.join(names)}?)" if names else ""


def _broken(references: Iterable[_Graded]) -> tuple[str, ...]:
    return tuple(sorted({rule for one in references for rule in one.broken}))


def probes(task: Task) -> tuple[Probe, ...]:
    """All trees that a task's admission grades, the reference first; without a reference only that nothing passes undone."""
    if not task.solved:
        return (Probe(name="untouched tree", after=task.base, tests=False, style=None),)
    tests = {path: file for path, file in task.reference if path.startswith("tests/")}
    only_tests = task.base.overlaid(Tree.of(tests))
    own = task.reference.overlaid(Tree.of({"tests/test_own_addition.py": OWN_TEST, "tests/conftest.py": OWN_CONFTEST}))
    source = next((path for path, _ in task.reference if path.endswith(".py") and path.startswith("src/")), "planted.py")
    planted = task.reference.overlaid(Tree.of({f"{''.join(source.rpartition('/')[:2])}planted_lint.py": LINT}))
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


def _admission(task: Task, graded: list[_Graded], dropped: tuple[str, ...]) -> Admission:
    references = [one.reason for one in graded if one.probe.reference]
    failed = sum(bool(reason) for reason in references)
    return Admission(
        task=task.id,
        reasons=tuple(one.reason for one in graded if one.reason),
        flip_rate=failed / len(references) if references else float(task.solved),
        probes=len(graded),
        dropped=dropped,
    )


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
    hash: str
    admitted: bool
    reasons: tuple[str, ...] = ()
    probes: int = 0
    dropped: tuple[str, ...] = ()


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
    suite: str
    tasks: dict[str, _Entry]


def write_record(path: Path, suite: Suite, admissions: Iterable[Admission]) -> None:
    """The suite's admission record: what was admitted, by content hash of the task and of all that judges it."""
    tasks = {
        one.task: _Entry(
            hash=suite.judged_hash(suite.by_id[one.task]),
            admitted=one.admitted,
            reasons=one.reasons,
            probes=one.probes,
            dropped=one.dropped,
        )
        for one in admissions
    }
    record = _Record(suite=suite.id, tasks=tasks)
    path.write_text(record.model_dump_json(indent=1) + "\n", encoding="utf-8")


def require_admitted(folder: Path, suite: Suite) -> None:
    """Check that every task stands as admitted in the suite's record, with the very content, rule pack and tools it has now.

    Raises:
        SuiteError: naming the first task that does not, why, and what to do.
    """
    known = _read_record(folder / RECORD)
    for task in suite.tasks:
        entry = known.tasks.get(task.id) if known else None
        if entry is None or entry.hash != suite.judged_hash(task):
            raise SuiteError(
                f"{folder}: task {task.id} was never admitted as it stands; "
                f"run: harness suite check {quote(str(folder))} --record"
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
    entries = known.tasks if known else {}
    good = {(name, entry.hash) for name, entry in entries.items() if entry.admitted}
    return frozenset(task.id for task in suite.tasks if (task.id, suite.judged_hash(task)) in good)


def to_check(folder: Path, suite: Suite) -> tuple[Task, ...]:
    """What a fresh machine still has to run: every task without a valid record, and one recorded task per project."""
    first = {task.project: task.id for task in reversed(suite.tasks)}
    fresh = admitted_tasks(folder, suite)
    return tuple(task for task in suite.tasks if task.id not in fresh or first[task.project] == task.id)


def dropped_rules(folder: Path) -> dict[str, tuple[str, ...]]:
    """By task, the style rules that its own reference breaks, as the suite's record has them; empty without a record."""
    known = _read_record(folder / RECORD)
    return {name: entry.dropped for name, entry in known.tasks.items() if entry.dropped} if known else {}


def _read_record(path: Path) -> _Record | None:
    try:
        return _Record.model_validate_json(path.read_bytes())
    except OSError:
        return None
    except ValidationError as error:
        raise SuiteError(
            f"{path}: not an admission record ({error.errors()[0]['msg']}); run harness suite check --record"
        ) from error
