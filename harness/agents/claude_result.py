"""How a run of Claude Code ended, from all fields read together: exit code, its stream of events, and its line. Pure.

No field is believed alone: the program can end with exit code 0 and the word success after an error of the service.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, ValidationError

from harness.errors import ConfigError, KeyMissingError
from harness.rollout import Ending

if TYPE_CHECKING:
    from harness.agents.traffic import Traffic
    from harness.ports import CommandResult, Json

_TAIL = 300  # characters of the program's own words in a cause
_REFUSED_KEY = (401, 403)
_NO_MODEL = 404


class Event(BaseModel):
    """The last event of the program's stream; keys that it may leave out have the value of a run that went well."""

    model_config = ConfigDict(frozen=True, extra="ignore")
    subtype: str
    is_error: bool = False
    api_error_status: int | None = None
    result: str = ""
    terminal_reason: str | None = None


def judged(result: CommandResult, traffic: Traffic, instruction: str) -> tuple[Ending, str]:
    """The ending and its cause.

    Raises:
        KeyMissingError: the service refuses the key.
        ConfigError: the service does not know the model.
    """
    _check_set_up(traffic)
    if result.timed_out:
        limit = "without output" if result.idle else "in all"
        return Ending.AGENT_TIMEOUT, f"killed after {result.seconds:.0f} s: the limit {limit} was reached"
    if outside := traffic.stopped:
        return outside
    if not traffic.calls:
        return Ending.AGENT_CRASH, f"no request was answered (exit code {result.exit_code}): {_tail(result)}"
    if why := traffic.without(instruction):
        return Ending.MISSING_API, why
    return _stopped(traffic) or _told(result)


def _told(result: CommandResult) -> tuple[Ending, str]:
    """What exit code and last event say together."""
    event, why = last_event(result.output.decode("utf-8", "replace"))
    if event is None:
        return Ending.AGENT_CRASH, f"{why} (exit code {result.exit_code}): {_tail(result)}"
    bad = [
        *([f"exit code {result.exit_code}"] if result.exit_code else []),
        *([f"ended as {event.subtype}"] if event.subtype != "success" else []),
        *([f"status {event.api_error_status}"] if event.api_error_status else []),
        *([f"an error: {event.result[:_TAIL]}"] if event.is_error else []),
    ]
    return (Ending.AGENT_CRASH, "; ".join(bad)) if bad else (Ending.FINISHED, "")


def last_event(output: str) -> tuple[Event | None, str]:
    """The stream's result, or None and what is wrong with the stream's end."""
    lines = [line for line in output.split("\n") if line.startswith("{")]
    for line in reversed(lines):
        event = _parsed(line)
        if isinstance(event, dict) and event.get("type") == "result":
            try:
                return Event.model_validate(event), ""
            except ValidationError as error:
                return None, f"the last event has an unknown form: {error.errors()[0]['loc']}"
    torn = bool(lines) and _parsed(lines[-1]) is None
    return None, "the last event is torn" if torn else "the stream has no last event"


def _parsed(line: str) -> Json:
    try:
        found: Json = json.loads(line)
    except ValueError:
        return None
    return found


def _check_set_up(traffic: Traffic) -> None:
    for exchange in traffic.exchanges:
        if exchange.status in _REFUSED_KEY:
            raise KeyMissingError(f"the model's service refuses the key ({exchange.status}); check ANTHROPIC_API_KEY")
        if exchange.status == _NO_MODEL:
            raise ConfigError("the model is not known to the service; choose another with --model")


def _stopped(traffic: Traffic) -> tuple[Ending, str] | None:
    last = next((exchange.message for exchange in reversed(traffic.exchanges) if exchange.message is not None), None)
    match last.get("stop_reason") if isinstance(last, dict) else None:
        case "refusal":
            return Ending.AGENT_CRASH, "the model refused to go on"
        case "max_tokens":
            return Ending.AGENT_CRASH, "the last answer was cut off at its length limit"
        case "model_context_window_exceeded":
            return Ending.AGENT_BUDGET, "the conversation no longer fits the model"
    return None


def _tail(result: CommandResult) -> str:
    return " ".join(result.output.decode("utf-8", "replace").split())[-_TAIL:]
