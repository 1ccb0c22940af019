"""Mining: from a repository's steps to task folders, side by side, each candidate kept or rejected with its reason.

What is known of a candidate is written as soon as it is known (`candidates.jsonl`, one JSON document a line), so that a stopped
run goes on from there. Splitting and admission come after, over all tasks.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

from harness.errors import SuiteError
from harness.suites.candidates import CANDIDATES, Outcome, read_outcomes, rejected
from harness.suites.catalog import load_task
from harness.suites.emit import Entry, Origin, emit_task
from harness.suites.needs import needs_of
from harness.suites.privacy import secrets_of
from harness.suites.probing import TEST_MODULE, Bench, hidden_tests, proven
from harness.suites.rejected import Reason, Rejected
from harness.suites.statement import Material, written
from harness.task import Split, Task
from harness.tree import Tree, matches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from harness.evaluate import Executor
    from harness.git_history import Commit
    from harness.ports import Model
    from harness.suites.equip import Equipped, Equipper
    from harness.suites.history import Candidate
    from harness.suites.probing import Lab, Proof
    from harness.suites.statement import Statement

NEW = ".new"  # where a task is written before it takes its place; under the suite's name, which task.toml repeats
LEAST_SECONDS = 30.0  # of a task's time limit for hidden tests
EASY, MEDIUM = (15, 1, 4), (60, 3, 12)  # at most so many source lines, files and fail-to-pass tests


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What to mine, and where to: `limit` is the number of candidates tried (None: all), `since` a day in UTC, YYYY-MM-DD.

    `deny` are words that no statement may carry, `harmless` patterns of paths whose secrets are none, by the owner's word.
    """

    out: Path
    project: str
    limit: int | None = None
    since: str = ""
    today: str = ""
    seconds: float = 60.0
    deny: tuple[str, ...] = ()
    harmless: tuple[str, ...] = ()
    tools: tuple[tuple[str, str], ...] = ()
    source: str = "mined"


class Steps(Protocol):
    """Where candidates come from: what `Repository` is. Each call may come from another thread."""

    def steps(self, *, since: str = "") -> tuple[Commit, ...]:
        """All steps, newest first."""
        ...

    def screen(self, step: Commit) -> int:
        """The step's changed source lines, found quickly. Raises Rejected."""
        ...

    def candidate(self, step: Commit) -> Candidate:
        """The step with its trees. Raises Rejected."""
        ...


@dataclass(frozen=True, kw_only=True)
class Miner:
    """Mines one repository."""

    repository: Steps
    lab: Lab
    equipper: Equipper
    plan: Plan
    model: Model | None = None
    model_id: str = ""
    clock: Callable[[], float] = field(default=time.monotonic)

    def run(self, executor: Executor, tell: Callable[[Outcome], None]) -> tuple[Outcome, ...]:
        """All steps' outcomes, newest first; those that are known are not tried again.

        Raises:
            InputError: candidates.jsonl is not ours.
            DockerUnavailableError: the engine fails; what is known is written.
        """
        path = self.plan.out / CANDIDATES
        known = {outcome.fix: outcome for outcome in read_outcomes(path)}
        path.parent.mkdir(parents=True, exist_ok=True)
        found: dict[str, Outcome] = {}

        def keep(outcome: Outcome) -> None:
            with path.open("a", encoding="utf-8") as file:
                file.write(outcome.model_dump_json() + "\n")
            found[outcome.fix] = outcome
            tell(outcome)

        for outcome in executor.map(self.tried, self._promising(known, found, keep), lambda: None):
            keep(outcome)
        shutil.rmtree(self.plan.out / NEW, ignore_errors=True)
        order = {step.id: place for place, step in enumerate(self.repository.steps(since=self.plan.since))}
        return tuple(sorted(found.values(), key=lambda outcome: order[outcome.fix]))

    def _promising(
        self, known: dict[str, Outcome], found: dict[str, Outcome], keep: Callable[[Outcome], None]
    ) -> Iterator[Commit]:
        """Steps to try, newest first, until the limit; the known ones count, and those passed by on sight are kept at once."""
        tried = 0
        for step in self.repository.steps(since=self.plan.since):
            if tried == self.plan.limit:
                return
            outcome = known.get(step.id)
            if outcome is None:
                try:
                    self.repository.screen(step)
                except Rejected as error:
                    keep(rejected(step, error))
                    continue
                tried += 1
                yield step
                continue
            tried += outcome.tried
            found[step.id] = outcome

    def tried(self, step: Commit) -> Outcome:
        """One step's outcome; a kept one's folder is complete before this returns."""
        began = self.clock()
        try:
            return self._kept(self.repository.candidate(step), began)
        except Rejected as error:
            return rejected(step, error, tried=True, seconds=self.clock() - began)

    def _kept(self, candidate: Candidate, began: float) -> Outcome:
        plan = self.plan
        equipped = self._equipped(candidate)
        base, reference = (tree.overlaid(equipped.support) for tree in (candidate.base, candidate.fix))
        proof = proven(self.lab, equipped.bench, base, reference, first=equipped.first)
        material = Material(
            message=candidate.step.message,
            base=base,
            reference=reference,
            hidden=proof.hidden,
            failing=proof.fail_to_pass,
            deny=plan.deny,
        )
        statement = written(material, self.model, self.model_id, candidate.step.id[:12])
        task = _task(plan, candidate, _Made(equipped=equipped, proof=proof, material=material, statement=statement))
        require_fit(task, plan.harmless)
        entry = Entry(task=task, title=_title(statement.text), source=plan.source, origin=_origin(candidate, equipped))
        emit_whole(plan.out, entry, plan.tools)
        return Outcome(
            fix=candidate.step.id,
            date=candidate.step.date,
            title=candidate.step.title,
            task=task.id,
            difficulty=task.difficulty,
            lines=candidate.source_lines,
            failing=len(proof.fail_to_pass),
            passing=len(proof.pass_to_pass),
            left_out=proof.left_out,
            author=statement.author,
            fixes=equipped.fixes,
            tried=True,
            seconds=self.clock() - began,
            usd=sum(call.cost_usd or 0.0 for call in statement.calls),
        )

    def _equipped(self, candidate: Candidate) -> Equipped:
        """The tests running on the fix; where a changed helper brings more than one run can hold, the changed modules alone."""
        modules = [path for path in candidate.changed_tests if TEST_MODULE.search(path)]
        wide, narrow = (hidden_tests(candidate.fix, changed) for changed in (candidate.changed_tests, modules))
        bench = Bench(project=self.plan.project, hidden=wide, seconds=self.plan.seconds, today=self.plan.today)
        try:
            return self.equipper.equipped(candidate.fix, bench)
        except Rejected as error:
            if wide == narrow or error.reason not in {Reason.TOO_MANY_TESTS, Reason.TIMEOUT}:
                raise
        return self.equipper.equipped(candidate.fix, replace(bench, hidden=narrow))


def emit_whole(out: Path, entry: Entry, tools: tuple[tuple[str, str], ...]) -> None:
    """Write a task's folder, whole or not at all, and read it back.

    Raises:
        Rejected: it does not read back as it was.
    """
    target = out / "tasks" / entry.task.id
    fresh = out / NEW / out.resolve().name / "tasks" / entry.task.id
    try:
        emit_task(fresh, entry, tools)
        same = load_task(fresh) == entry.task
    except SuiteError as error:
        shutil.rmtree(fresh)
        raise Rejected(Reason.FORM, str(error)) from error
    if not same:
        shutil.rmtree(fresh)
        raise Rejected(Reason.FORM, "the task's folder does not read back as it was written")
    shutil.rmtree(target, ignore_errors=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh.replace(target)


def require_fit(task: Task, harmless: tuple[str, ...] = ()) -> None:
    """Refuse a task that carries a secret, but for paths that the owner calls harmless. Raises Rejected."""
    found = [one for one in secrets_of(task) if not matches(one.where, harmless)]
    if found:
        raise Rejected(Reason.PRIVATE, str(found[0]), "\n".join(map(str, found)))


def difficulty(lines: int, files: int, failing: int) -> str:
    """Easy, medium or hard by source lines, changed source files, and fail-to-pass tests."""
    size = (lines, files, failing)
    if all(part <= most for part, most in zip(size, EASY, strict=True)):
        return "easy"
    return "medium" if all(part <= most for part, most in zip(size, MEDIUM, strict=True)) else "hard"


def project_name(tree: Tree, otherwise: str) -> str:
    """The project's declared name as part of task ids, or another one."""
    return re.sub(r"[^a-z0-9]+", "-", (needs_of(tree).name or otherwise).lower()).strip("-") or "project"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Made:
    """All that a candidate has become on its way to a task."""

    equipped: Equipped
    proof: Proof
    material: Material
    statement: Statement


def _task(plan: Plan, candidate: Candidate, made: _Made) -> Task:
    proof = made.proof
    mark = hashlib.sha256(candidate.step.id.encode()).hexdigest()[:8]  # a commit's hash would point at the fix
    return Task(
        id=f"{plan.project}-{candidate.step.date[:10].replace('-', '')}-{mark}",
        project=plan.project,
        split=Split.DEV,
        instruction=made.statement.text,
        difficulty=difficulty(candidate.source_lines, len(candidate.changed_sources), len(proof.fail_to_pass)),
        kind=proof.kind,
        interface=made.statement.interface,
        base=made.material.base,
        reference=made.material.reference,
        hidden=proof.hidden,
        fail_to_pass=proof.fail_to_pass,
        pass_to_pass=proof.pass_to_pass,
        pack="",
        requirements=made.equipped.bench.requirements,
        tests_seconds=max(LEAST_SECONDS, float(round(10 * proof.seconds))),
    )


def _origin(candidate: Candidate, equipped: Equipped) -> Origin:
    step = candidate.step
    return Origin(base_commit=step.parent, fix_commit=step.id, date=step.date, fixes=equipped.fixes)


def _title(statement: str) -> str:
    """The statement's first line of text."""
    lines = [line.strip() for line in statement.splitlines() if line.strip() and not line.startswith("#")]
    return lines[0][:100] if lines else ""
