"""Any agent that is a shell command in the container: the task statement on stdin, the delivery's files in the workspace."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from harness.agents.load import evidence
from harness.agents.output import clipped
from harness.delivery import shows
from harness.ports import AgentReport, TrialEndedError
from harness.rollout import Ending

if TYPE_CHECKING:
    from harness.ports import Assignment, CommandResult, Delivered, Workspace
    from harness.rollout import LoadEvidence

_LONGEST = 200_000  # characters of output kept in the transcript


class CommandAgent:
    """Runs one shell command as the agent.

    A delivery without a file stands on stdin before the task. A file counts as read only when the output shows its text.
    """

    def __init__(self, command: str) -> None:
        self._command = command

    def run(self, workspace: Workspace, assignment: Assignment) -> AgentReport:
        """Run the command to its end or to the time limit; a non-zero exit is the agent's crash."""
        task, delivered = assignment.task, assignment.delivered
        seconds = min(assignment.limits.seconds, task.agent_seconds)
        statement = f"{delivered.system}\n\n{task.instruction}" if delivered.mode == "system" else task.instruction
        output = b""
        try:
            result = workspace.run(("bash", "-c", self._command), stdin=statement.encode("utf-8", "replace"), seconds=seconds)
            output = result.output
            ending, cause = _ending(result, seconds)
        except TrialEndedError as ended:
            ending, cause = ended.ending, ended.cause
        shown = clipped(output, _LONGEST)
        line = {"type": "command", "command": self._command, "stdin": statement, "output": shown, "ending": ending}
        load = _load(delivered, output.decode("utf-8", "replace"))
        return AgentReport(ending=ending, cause=cause, transcript=f"{json.dumps(line)}\n", calls=(), load=load)


def _load(delivered: Delivered, output: str) -> LoadEvidence:
    if delivered.mode == "system":
        return evidence(delivered, "on stdin, before the task")
    return evidence(delivered, "in the command's output" if shows(output, delivered.proof) else "")


def _ending(result: CommandResult, seconds: float) -> tuple[Ending, str]:
    if result.timed_out or result.exit_code is None:
        return Ending.AGENT_TIMEOUT, f"still running after {seconds:.0f} s"
    if result.exit_code:
        return Ending.AGENT_CRASH, f"exit code {result.exit_code}"
    return Ending.FINISHED, ""
