from collections.abc import Callable

from harness.agents.idle import IdleAgent
from harness.agents.reference import ReferenceAgent
from harness.ports import Assignment, CommandResult, TrialEndedError
from harness.rollout import Ending
from harness.task import Task
from harness.testing import LocalWorkspace
from harness.tree_io import read_tree

Assign = Callable[..., Assignment]


class GoneWorkspace:
    """A container that went away."""

    def run(self, argv: object, *, stdin: bytes = b"", seconds: float) -> CommandResult:
        """Say so."""
        raise TrialEndedError(Ending.MISSING_CONTAINER, f"gone: {argv!r} {len(stdin)} {seconds}")


def test_the_idle_agent_changes_nothing_and_finishes(workspace: LocalWorkspace, assign: Assign, task: Task) -> None:
    report = IdleAgent().run(workspace, assign())
    assert (report.ending, report.load.loaded, read_tree(workspace.folder)) == (Ending.FINISHED, False, task.base)


def test_the_reference_agent_leaves_exactly_the_reference_by_one_command(
    workspace: LocalWorkspace, assign: Assign, task: Task
) -> None:
    report = ReferenceAgent().run(workspace, assign())
    assert (report.ending, report.cause, len(workspace.commands)) == (Ending.FINISHED, "", 1)
    assert read_tree(workspace.folder) == task.reference


def test_a_container_that_is_gone_is_booked_as_such(assign: Assign) -> None:
    assert ReferenceAgent().run(GoneWorkspace(), assign()).ending == Ending.MISSING_CONTAINER
