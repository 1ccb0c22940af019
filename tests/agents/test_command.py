import json
from collections.abc import Callable

from harness.agents.command import CommandAgent
from harness.ports import Assignment, Limits
from harness.rollout import Ending
from harness.task import Task
from harness.testing import LocalWorkspace

Assign = Callable[..., Assignment]


def test_the_statement_arrives_on_stdin_after_a_delivery_that_has_no_file(
    workspace: LocalWorkspace, assign: Assign, task: Task
) -> None:
    report = CommandAgent("cat > got.txt").run(workspace, assign("system"))
    got = (workspace.folder / "got.txt").read_text()
    assert report.ending == Ending.FINISHED
    assert got == f'<skill name="coding">\n# Coding\n\nLook first.\n</skill>\n\n{task.instruction}'
    assert (report.load.loaded, report.load.how) == (True, "on stdin, before the task")


def test_with_a_file_delivered_the_statement_stands_alone(workspace: LocalWorkspace, assign: Assign, task: Task) -> None:
    CommandAgent("cat > got.txt").run(workspace, assign("agents_md"))
    assert (workspace.folder / "got.txt").read_text() == task.instruction


def test_a_delivered_file_counts_as_read_only_when_the_output_shows_it(workspace: LocalWorkspace, assign: Assign) -> None:
    assert CommandAgent("true").run(workspace, assign("agents_md")).load.loaded is False
    assert CommandAgent("cat AGENTS.md").run(workspace, assign("agents_md")).load.loaded is True


def test_a_failing_command_is_a_crash_and_its_output_is_kept(workspace: LocalWorkspace, assign: Assign) -> None:
    report = CommandAgent("echo so far; exit 3").run(workspace, assign())
    assert (report.ending, report.cause) == (Ending.AGENT_CRASH, "exit code 3")
    assert json.loads(report.transcript)["output"] == "so far\n"


def test_a_command_that_does_not_end_is_a_timeout(workspace: LocalWorkspace, assign: Assign) -> None:
    report = CommandAgent("echo begun; sleep 60").run(workspace, assign(limits=Limits(seconds=0.5)))
    assert (report.ending, json.loads(report.transcript)["output"]) == (Ending.AGENT_TIMEOUT, "begun\n")
