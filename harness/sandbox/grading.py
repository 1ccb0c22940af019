"""One grading container: waits for its order, lints before any of the agent's code runs, then runs the hidden tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.ports import TrialEndedError
from harness.rollout import Ending
from harness.sandbox.channel import ClosedError, MalformedError
from harness.sandbox.container import Container, removal
from harness.sandbox.engine import ending_as
from harness.sandbox.evidence import Ready, no_evidence, test_report, tool_runs

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from harness.evidence import TestReport
    from harness.ports import ToolRun
    from harness.sandbox.order import Order
    from harness.task import Task

START_SECONDS = 60.0
LINT_SECONDS = 60.0
GRACE_SECONDS = 10.0
LINTER_CODES = range(101)  # above are panics (101), 124 for the time limit, and signals; pylint uses all bits below
SILENT = (ClosedError, MalformedError, TimeoutError, ValueError)  # ValidationError is a ValueError


class GraderDiedError(Exception):
    """The grader ended, of itself, while it handled the agent's files but before any of the agent's code ran."""


class Grader:
    """A started grading container, used once."""

    def __init__(self, container: Container, hands: Executor) -> None:
        self._container = container
        self._hands = hands

    def release(self) -> None:
        """Kill and remove, beside other work."""
        removal(self._container, self._hands)

    def wait(self) -> None:
        """Wait until it is ready for its order. Raises TrialEndedError(MISSING_GRADER): it has seen nothing of the agent."""
        try:
            Ready.model_validate(self._container.channel.receive(seconds=START_SECONDS).head)
        except SILENT as error:
            log = self._container.channel.log.strip()[-300:]
            raise TrialEndedError(Ending.MISSING_GRADER, f"the grader did not start: {type(error).__name__} {log}") from error

    def lint(self, order: Order) -> tuple[ToolRun, ...]:
        """Send the order; the linter's runs in the order's sequence.

        Raises:
            TrialEndedError: MISSING_GRADER, if the container was killed from outside.
            GraderDiedError: it ended by itself; whether that is our fault, a run with the reference shows.
        """
        try:
            self._container.channel.send(order.head, order.body, seconds=START_SECONDS)
            runs = tool_runs(self._container.channel.receive(seconds=LINT_SECONDS))
        except SILENT as error:
            self._unless_killed()
            log = self._container.channel.log.strip()[-300:]
            raise GraderDiedError(f"{type(error).__name__} {log}") from error
        broken = [run for run in runs if run.exit_code not in LINTER_CODES]
        if broken:
            said = broken[0].stderr.decode("utf-8", "replace").strip()[-200:]
            raise GraderDiedError(f"the linter ended with {broken[0].exit_code}: {said}")
        return runs

    def tests(self, task: Task, order: Order) -> TestReport:
        """The hidden tests' report. Raises TrialEndedError(MISSING_GRADER) if the container was killed from outside."""
        limit = task.tests_seconds
        try:
            message = self._container.channel.receive(seconds=limit + GRACE_SECONDS)
        except TimeoutError:
            problem = f"timed out after {limit:g} s"
        except SILENT as error:
            death = self._unless_killed()
            problem = "out of memory while the tests ran" if death else f"no evidence: the grader ended ({type(error).__name__})"
        else:
            return test_report(message, task.expected, order.canaries, limit)
        return no_evidence(task.expected, sum(order.canaries.values()), problem, self._container.channel.log)

    def _unless_killed(self) -> bool:
        """Whether it ran out of memory. Raises TrialEndedError if it was killed from outside."""
        with ending_as(Ending.MISSING_GRADER, "the grader disappeared"):
            death = self._container.death()
        if death.killed:
            raise TrialEndedError(Ending.MISSING_GRADER, "the grader was killed from outside")
        return death.out_of_memory
