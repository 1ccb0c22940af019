import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from harness.agents.command import CommandAgent
from harness.ports import AgentReport, Assignment, Exchange, Limits
from harness.rollout import Call, Ending, Usage
from harness.task import Task
from harness.testing import LocalWorkspace, RecordedLine

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


def answered(text: str) -> Exchange:
    """One request with this text, and an answer to it."""
    body = json.dumps({"messages": [{"role": "user", "content": text}]}).encode()
    call = Call(role="coder", model="m", usage=Usage(calls=1), cost_usd=0.0)
    return Exchange(body=body, status=200, message={"content": [], "stop_reason": "end_turn"}, call=call)


def asking(assign: Assign, command: str, workspace: LocalWorkspace, *exchanges: Exchange) -> AgentReport:
    return CommandAgent(command).run(workspace, replace(assign(), line=RecordedLine(*exchanges)))


@pytest.mark.parametrize("command", ["true", "exit 3"])
def test_a_command_that_never_asked_the_model_about_the_task_is_missing(
    workspace: LocalWorkspace, assign: Assign, command: str
) -> None:
    report = asking(assign, command, workspace, answered("What would you like help with?"))
    assert (report.ending, report.cause) == (Ending.MISSING_API, "no request held the task's text: the program began without it")
    assert len(report.calls) == 1


def test_the_task_may_stand_in_any_request_wrapped_and_quoted(workspace: LocalWorkspace, assign: Assign, task: Task) -> None:
    quoted = f'Please solve this: "{task.instruction}"'.replace(" takes", "\n> takes")
    report = asking(assign, "true", workspace, answered("Name this session."), answered(quoted))
    assert report.ending is Ending.FINISHED


def test_a_command_that_asked_nothing_is_not_judged_by_its_requests(workspace: LocalWorkspace, assign: Assign) -> None:
    refused = Exchange(body=b"", refused="no way to GET /")
    assert [asking(assign, "true", workspace, *passed).ending for passed in ((), (refused,))] == [Ending.FINISHED] * 2
