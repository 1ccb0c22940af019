"""Our own coding agent: a model, a shell and an editor, turn by turn, until the model is done or a limit is reached.

The container needs no network: the model is called from here. Every fault becomes an ending; what was done so far is kept.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from harness.agents import editor, shell
from harness.agents.conversation import Conversation
from harness.agents.shell import ToolOutcome
from harness.ports import AgentReport, ModelRequest, TrialEndedError
from harness.rollout import Ending
from harness.spending import Spending, most, prompt_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from harness.ports import Assignment, Json, Model, ModelReply, Price, Workspace

ROLE = "coder"
LONGEST_PROMPT = 90_000  # tokens: beyond 100,000 some models cost five times as much, and every model reads worse
_TOOLS: Mapping[str, Callable[[Workspace, Json, float], ToolOutcome]] = {
    "bash": shell.run_shell,
    "str_replace_based_edit_tool": editor.run_editor,
}
_OVER: Mapping[str, tuple[Ending, str]] = {
    "end_turn": (Ending.FINISHED, ""),
    "stop_sequence": (Ending.FINISHED, ""),
    "refusal": (Ending.AGENT_CRASH, "the model refused to go on"),
    "model_context_window_exceeded": (Ending.AGENT_BUDGET, "the conversation no longer fits the model"),
}
_CUT_OFF = "Your answer was cut off at its length limit, so this call was not run. Make a shorter one."
_GO_ON = "Your answer was cut off at its length limit. Go on from there."


class ToolLoop:
    """`ports.Agent` over a model. One object serves all threads: it keeps nothing between runs."""

    def __init__(self, model: Model, model_id: str, price: Price, *, max_tokens: int = 16_000, effort: str = "") -> None:
        self._model = model
        self._model_id = model_id
        self._price = price
        self._max_tokens = max_tokens
        self._effort = effort

    def run(self, workspace: Workspace, assignment: Assignment) -> AgentReport:
        """Work on the task; the ending is FINISHED only when the model says so itself."""
        limits = assignment.limits
        spending = Spending(limits, min(limits.seconds, assignment.task.agent_seconds), time.monotonic)
        conversation = Conversation(assignment.delivered, assignment.task.instruction)
        try:
            ending, cause = self._worked(workspace, assignment, conversation, spending)
        except TrialEndedError as ended:
            ending, cause = ended.ending, ended.cause
            for call in ended.calls:
                spending.charge(call)
        conversation.end(ending, cause)
        return AgentReport(
            ending=ending,
            cause=cause,
            transcript=conversation.transcript,
            calls=tuple(spending.calls),
            load=conversation.load,
        )

    def _worked(
        self, workspace: Workspace, assignment: Assignment, conversation: Conversation, spending: Spending
    ) -> tuple[Ending, str]:
        while True:
            request = self._request(assignment, conversation, spending.seconds_left)
            worst = most(self._price, self._model_id, prompt_bytes(request), self._max_tokens)
            if spent := spending.reserve(worst):
                return spent
            reply = self._model.send(request)
            spending.book(reply.call, worst)
            conversation.assistant(reply)
            if _prompt(reply) > LONGEST_PROMPT:
                conversation.shorten()
            if over := _ended(reply):
                return over
            if answers := _answers(workspace, reply, spending):
                conversation.user(answers)

    def _request(self, assignment: Assignment, conversation: Conversation, seconds: float) -> ModelRequest:
        return ModelRequest(
            role=ROLE,
            subject=str(assignment.key),
            task=assignment.task.id,
            model=self._model_id,
            system=conversation.system,
            messages=conversation.to_send,
            max_tokens=self._max_tokens,
            tools=(shell.TOOL, editor.TOOL),
            effort=self._effort,
            seconds=seconds,
            previous=conversation.previous,
        )


def _prompt(reply: ModelReply) -> int:
    """Tokens of the prompt that was answered."""
    usage = reply.call.usage
    return usage.input + usage.cache_read + usage.cache_write_5m + usage.cache_write_1h


def _ended(reply: ModelReply) -> tuple[Ending, str] | None:
    """How the agent ended by this reply, or None if it goes on."""
    if reply.stop_reason in _OVER:
        return _OVER[reply.stop_reason]
    if reply.stop_reason == "tool_use" and not _tool_uses(reply):
        return Ending.AGENT_CRASH, "the model stopped for a tool but called none"
    if reply.stop_reason in {"tool_use", "max_tokens", "pause_turn"}:
        return None if reply.content else (Ending.AGENT_CRASH, f"an empty answer ({reply.stop_reason})")
    return Ending.AGENT_CRASH, f"unknown stop reason {reply.stop_reason!r}"


def _answers(workspace: Workspace, reply: ModelReply, spending: Spending) -> Sequence[Mapping[str, Json]]:
    """Our next turn: every tool call answered, in order. Empty after a pause: the service goes on from its own turn."""
    uses = _tool_uses(reply)
    if reply.stop_reason == "pause_turn":
        return []
    if reply.stop_reason == "max_tokens":
        cut = ToolOutcome(text=_CUT_OFF, error=True)
        return [_result(use, cut) for use in uses] or [{"type": "text", "text": _GO_ON}]
    return [_result(use, _outcome(workspace, use, spending)) for use in uses]


def _outcome(workspace: Workspace, use: Mapping[str, Json], spending: Spending) -> ToolOutcome:
    tool = _TOOLS.get(str(use.get("name")))
    if tool is None:
        return ToolOutcome(text=f"no tool {use.get('name')!r}; there are {', '.join(_TOOLS)}", error=True)
    if not spending.seconds_left:
        return ToolOutcome(text="not run: the time is over", error=True)
    return tool(workspace, use.get("input"), spending.for_one_command())


def _tool_uses(reply: ModelReply) -> list[Mapping[str, Json]]:
    return [block for block in reply.content if isinstance(block, dict) and block.get("type") == "tool_use"]


def _result(use: Mapping[str, Json], outcome: ToolOutcome) -> Mapping[str, Json]:
    result: dict[str, Json] = {"type": "tool_result", "tool_use_id": use.get("id"), "content": outcome.text}
    return {**result, "is_error": True} if outcome.error else result
