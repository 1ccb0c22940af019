"""Claude Code as the agent: the real program in the sealed container, its requests through the trial's line.

Owns how it is started. What its end means is `claude_result`, what it said to the model is `traffic`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from harness.agents.claude_cli import INSIDE
from harness.agents.claude_result import judged
from harness.agents.load import as_listed
from harness.agents.output import clipped
from harness.agents.traffic import Traffic
from harness.errors import ConfigError
from harness.ports import AgentReport, TrialEndedError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.ports import Assignment, Json, Line, Workspace
    from harness.rollout import Ending

_LONGEST = 100_000  # characters of the program's own output kept in the transcript
_TOOLS = "Bash,Edit,Glob,Grep,Read,Skill,Write"  # what works without a network and without a person
# Its own skill on writing plug-ins is no part of any task, and would stand in the list beside the variant.
_SETTINGS = '{"enabledPlugins": {"cc-plugin-plugin-authoring@builtin": false}}'
_OPTIONS = (
    *("-p", "--output-format", "stream-json", "--verbose", "--include-partial-messages"),
    *("--tools", _TOOLS, "--settings", _SETTINGS, "--setting-sources", "project"),
    *("--strict-mcp-config", "--dangerously-skip-permissions"),
)
_VARIABLES = {
    "HOME": "/tmp",  # noqa: S108  (the container's own)
    "CLAUDE_CONFIG_DIR": "/tmp/.claude-config",  # noqa: S108  (the same)
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "CLAUDE_CODE_DISABLE_BUNDLED_SKILLS": "1",
    "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS": "1",
    "CLAUDE_CODE_MAX_RETRIES": "4",
    "CLAUDE_CODE_MAX_OUTPUT_TOKENS": "16000",
    "DISABLE_AUTOUPDATER": "1",
}
_SMALL_MODELS = ("ANTHROPIC_DEFAULT_HAIKU_MODEL", "ANTHROPIC_SMALL_FAST_MODEL", "CLAUDE_CODE_SUBAGENT_MODEL")


class ClaudeCode:
    """`ports.Agent`: one session a trial, never resumed. One object serves all threads."""

    def __init__(self, launcher: Sequence[str], model_id: str, version: str) -> None:
        """Start the program by `launcher`, which gives it the line's address inside the container."""
        self._launcher = tuple(launcher)
        self._model_id = model_id
        self._version = version

    def run(self, workspace: Workspace, assignment: Assignment) -> AgentReport:
        """Run the program to its end, or to a limit.

        Raises:
            ConfigError: there is no line, or the service does not know the model.
            KeyMissingError: the service refuses the key.
        """
        if assignment.line is None:
            raise ConfigError("agent claude_code needs a relay to the model's service")
        task, delivered, argv = assignment.task, assignment.delivered, self._argv(assignment)
        output = b""
        try:
            result = workspace.run(
                argv,
                stdin=task.instruction.encode("utf-8", "replace"),
                seconds=min(assignment.limits.seconds, task.agent_seconds),
                idle_seconds=assignment.limits.idle_seconds,
            )
            output, traffic = result.output, _passed(assignment.line)
            ending, cause = judged(result, traffic, task.instruction)
        except TrialEndedError as ended:
            ending, cause, traffic = ended.ending, ended.cause, _passed(assignment.line)
        return AgentReport(
            ending=ending,
            cause=cause,
            transcript=self._transcript(traffic, output, ending, cause),
            calls=traffic.calls,
            load=as_listed(traffic.load(delivered), delivered, traffic.listed(assignment.variant.skill.name)),
        )

    def _argv(self, assignment: Assignment) -> tuple[str, ...]:
        small = dict.fromkeys(_SMALL_MODELS, self._model_id)
        settings = [f"{name}={value}" for name, value in (_VARIABLES | small).items()]
        delivered = assignment.delivered
        # Files that it knows, and the skill's listing, it reads and shows by itself.
        system = ("--append-system-prompt", delivered.system) if delivered.mode == "system" else ()
        return (*self._launcher, "env", *settings, INSIDE, *_OPTIONS, "--model", self._model_id, *system)

    def _transcript(self, traffic: Traffic, output: bytes, ending: Ending, cause: str) -> str:
        lines: list[Json] = [
            {"type": "agent", "name": "claude_code", "version": self._version},
            *traffic.lines(),
            {"type": "output", "text": clipped(output, _LONGEST)},
            {"type": "end", "ending": ending, "cause": cause},
        ]
        return "".join(f"{json.dumps(line)}\n" for line in lines)


def _passed(line: Line) -> Traffic:
    return Traffic(line.finish())
