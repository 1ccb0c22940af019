"""Any agent that is a shell command in the container: the task statement on stdin, the delivery's files in the workspace.

With a line it finds the model's service under ANTHROPIC_BASE_URL, without a key.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from harness.agents.load import evidence
from harness.agents.output import clipped
from harness.agents.traffic import Traffic
from harness.delivery import shows
from harness.ports import AgentReport, TrialEndedError
from harness.rollout import Ending

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.ports import Assignment, CommandResult, Delivered, Json, Workspace
    from harness.rollout import LoadEvidence

_LONGEST = 200_000  # characters of output kept in the transcript
_BY_ITSELF = frozenset({Ending.FINISHED, Ending.AGENT_CRASH})


class CommandAgent:
    """Runs one shell command as the agent.

    A delivery without a file stands on stdin before the task. A file counts as read only when a request to the model or the
    output shows its text.
    """

    def __init__(self, command: str, launcher: Sequence[str] = ()) -> None:
        """Run `command`, by `launcher` where there is a line, which gives it the line's address inside the container."""
        self._command = command
        self._launcher = tuple(launcher)

    def run(self, workspace: Workspace, assignment: Assignment) -> AgentReport:
        """Run the command to its end or to the time limit; a non-zero exit is the agent's crash.

        A command that asked the model, and never about the task, was none of the variant's: that is missing.
        """
        task, delivered = assignment.task, assignment.delivered
        seconds = min(assignment.limits.seconds, task.agent_seconds)
        statement = f"{delivered.system}\n\n{task.instruction}" if delivered.mode == "system" else task.instruction
        output = b""
        try:
            result = workspace.run(
                (*(self._launcher if assignment.line else ()), "bash", "-c", self._command),
                stdin=statement.encode("utf-8", "replace"),
                seconds=seconds,
                idle_seconds=assignment.limits.idle_seconds,
            )
            output = result.output
            ending, cause = _ending(result)
        except TrialEndedError as ended:
            ending, cause = ended.ending, ended.cause
        traffic = Traffic(assignment.line.finish() if assignment.line else ())
        if ending is not Ending.FINISHED and (stopped := traffic.stopped):
            ending, cause = stopped
        elif ending in _BY_ITSELF and (why := traffic.without(task.instruction)):
            ending, cause = Ending.MISSING_API, why
        shown = clipped(output, _LONGEST)
        line = {"type": "command", "command": self._command, "stdin": statement, "output": shown, "ending": ending}
        lines: list[Json] = [*traffic.lines(), line]
        return AgentReport(
            ending=ending,
            cause=cause,
            transcript="".join(f"{json.dumps(one)}\n" for one in lines),
            calls=traffic.calls,
            load=_load(delivered, output.decode("utf-8", "replace"), traffic),
        )


def _load(delivered: Delivered, output: str, traffic: Traffic) -> LoadEvidence:
    in_requests = traffic.load(delivered)
    if in_requests.loaded:
        return in_requests
    if delivered.mode == "system":
        return evidence(delivered, "on stdin, before the task")
    return evidence(delivered, "in the command's output" if shows(output, delivered.proof) else "")


def _ending(result: CommandResult) -> tuple[Ending, str]:
    if result.timed_out or result.exit_code is None:
        how = "no output for too long" if result.idle else "still running"
        return Ending.AGENT_TIMEOUT, f"{how} after {result.seconds:.0f} s"
    if result.exit_code:
        return Ending.AGENT_CRASH, f"exit code {result.exit_code}"
    return Ending.FINISHED, ""
