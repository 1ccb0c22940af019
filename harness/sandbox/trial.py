"""The containers of one trial: the agent's, and the grader's, which starts beside the agent's work and waits for its order."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from harness.linter_files import ruff_commands
from harness.ports import Graded, LintRun, ToolRun, TrialEndedError
from harness.rollout import Ending
from harness.sandbox.evidence import unreadable
from harness.sandbox.grading import GraderDiedError
from harness.sandbox.order import grading_order
from harness.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, MutableMapping
    from concurrent.futures import Future
    from random import Random

    from harness.rollout import Change
    from harness.sandbox.grading import Grader
    from harness.sandbox.repository import Repository
    from harness.sandbox.snapshot import Snapshot
    from harness.sandbox.workspace import DockerWorkspace
    from harness.task import Task

NOT_RUN = ToolRun(exit_code=0, stdout=b"[]", stderr=b"")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """What the trials of one sandbox share: repository, the linter's version and its runs over bases, canaries' randomness.

    `commands` are the rule packs' command lines, by pack.
    """

    repository: Repository
    linter: str
    base_lint: MutableMapping[tuple[str, str], tuple[ToolRun, ...]]
    random: Random
    commands: Mapping[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)

    def lint(self, task: Task) -> tuple[tuple[str, ...], ...]:
        """The command lines to run over a task's trees: linter and formatter first, where the suite pins them."""
        return (*(ruff_commands(self.linter) if self.linter else ()), *self.commands.get(task.pack, ()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Graders:
    """Where a trial's graders come from: the one started beside the agent, and further ones on demand."""

    first: Future[Grader]
    another: Callable[[], Grader]


class DockerTrial:
    """One trial. `take_out` comes before `grade`; nothing of the agent runs after it."""

    def __init__(self, task: Task, inject: Tree, workspace: DockerWorkspace, grading: Grading, tools: Tools) -> None:
        self.workspace = workspace
        self._task = task
        self._inject = inject
        self._grading = grading
        self._tools = tools

    def take_out(self) -> Change:
        """Freeze, read, kill and remove; the change against the task's base.

        Raises:
            TrialEndedError: MISSING_CONTAINER, ENVIRONMENT_BROKEN or OUT_OF_MEMORY.
        """
        found = self.workspace.take_out()
        return taken(self._tools.repository, self._task, self._inject, found)

    def grade(self, change: Change) -> Graded:
        """Lint, then test, in a container that has never met the agent; the agent's own is dead first.

        Raises:
            TrialEndedError: MISSING_GRADER with proof, or ENVIRONMENT_BROKEN where only the agent's files end the grader.
        """
        self.workspace.wait_until_gone()
        return self._grading.grade(change)


class Grading:
    """Grades changes of one task, each in a grader of its own."""

    def __init__(self, task: Task, graders: Graders, tools: Tools) -> None:
        self._task = task
        self._graders = graders
        self._tools = tools

    def grade(self, change: Change) -> Graded:
        """Lint, then test. Raises TrialEndedError as `DockerTrial.grade`."""
        try:
            graded = self._graded(self._graders.first.result(), change)
        except GraderDiedError as error:
            self._prove(str(error))
            raise TrialEndedError(Ending.ENVIRONMENT_BROKEN, f"the agent's files end the grader: {error}") from error
        if unreadable(graded.tests):
            self._prove(graded.tests.problem)
        return graded

    def _prove(self, seen: str) -> None:
        """Run the reference there and then: a grader that fails on it too, or cannot be read, is our fault."""
        reference = self._tools.repository.change(self._task.base, self._task.reference)
        grader = self._graders.another()
        missing = TrialEndedError(Ending.MISSING_GRADER, f"the grader fails on the reference too: {seen}")
        try:
            if unreadable(self._graded(grader, reference).tests):
                raise missing
        except GraderDiedError as error:
            raise missing from error
        finally:
            grader.release()

    def _graded(self, grader: Grader, change: Change) -> Graded:
        base = (self._task.base.id, self._task.pack)
        known = self._tools.base_lint.get(base)
        lint = self._tools.lint(self._task)
        order = grading_order(self._task, change, self._tools.random, lint, lint_base=known is None)
        grader.wait()
        runs = grader.lint(order)
        if known is None and runs:
            known, runs = runs[: len(lint)], runs[len(lint) :]
            self._tools.base_lint[base] = known
        tests = grader.tests(self._task, order)
        return Graded(tests=tests, lint=self._lint(known or (), runs), dropped=order.dropped)

    def _lint(self, base: tuple[ToolRun, ...], after: tuple[ToolRun, ...]) -> LintRun:
        none: tuple[ToolRun, ...] = () if self._tools.linter else (NOT_RUN, NOT_RUN)
        base_check, base_format, *base_commands = (*none, *base)
        after_check, after_format, *after_commands = (*none, *after)
        return LintRun(
            version=self._tools.linter,
            base_check=base_check,
            base_format=base_format,
            after_check=after_check,
            after_format=after_format,
            base_commands=tuple(base_commands),
            after_commands=tuple(after_commands),
        )


def taken(repository: Repository, task: Task, inject: Tree, found: Snapshot) -> Change:
    """The change that a snapshot holds: injected files never count, nor new files that the base ignores."""
    start = task.base.overlaid(inject)
    files = {path: file for path, file in found.tree if inject.get(path) is None}
    files |= {path: file for path, file in task.base if start.get(path) != file}
    ignored = repository.ignored(task.base, [path for path in files if task.base.get(path) is None])
    after = Tree.of({path: file for path, file in files.items() if path not in ignored})
    return repository.change(task.base, after, found.refused)
