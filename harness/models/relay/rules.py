"""Which requests of a program in a container are passed on to the model's service. Pure.

What is not listed here is refused: a container without a network must not reach one through what the service would fetch or
run for it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from harness.ports import Json

MESSAGES = "/v1/messages"
COUNT_TOKENS = "/v1/messages/count_tokens"
LARGEST = 32 * 1024 * 1024  # bytes: the service's own limit for a request
# Keys of a request that change nothing but the answer. Left out with intent: mcp_servers and container (the service would
# connect and run), service_tier, speed and inference_geo (other prices).
KEYS = frozenset(
    {
        "model",
        "max_tokens",
        "messages",
        "system",
        "tools",
        "tool_choice",
        "metadata",
        "stream",
        "stop_sequences",
        "temperature",
        "top_p",
        "top_k",
        "thinking",
        "output_config",
        "context_management",
        "cache_control",
        "diagnostics",
    }
)
# Types of tools that the program runs by itself, without their dates; any other named type is run by the service.
OWN_TOOLS = ("custom", "bash", "text_editor", "memory", "computer")
_FETCHED = frozenset({"url", "file"})  # types of a source that the service gets from elsewhere


@dataclass(frozen=True, slots=True, kw_only=True)
class Passed:
    """A request that may be passed on: path, body as sent, model, the longest answer in tokens, whether it is streamed."""

    path: str
    body: bytes
    model: str
    max_tokens: int


class RefusedError(Exception):
    """A request that is not passed on: the HTTP status to answer, and why."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status
        self.why = why


def passed(path: str, body: bytes, models: Collection[str], tag: str) -> Passed:
    """The request as it may be passed on, `metadata` replaced by the tag.

    Raises:
        RefusedError: the path, the body's form, the model, a tool or a source is none of those allowed.
    """
    where, _, query = path.partition("?")
    if where not in {MESSAGES, COUNT_TOKENS} or query not in {"", "beta=true"}:
        raise RefusedError(404, f"no way to {path[:200]}")
    try:
        asked = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise RefusedError(400, "the body is not JSON") from error
    if not isinstance(asked, dict):
        raise RefusedError(400, "the body is no JSON object")
    if unknown := sorted(asked.keys() - KEYS):
        raise RefusedError(403, f"{unknown[0][:100]} is not passed on")
    if asked.get("model") not in models:
        raise RefusedError(404, f"model {str(asked.get('model'))[:100]} is none of {', '.join(sorted(models))}")
    if why := next(_forbidden(asked), ""):
        raise RefusedError(403, why)
    limit = asked.get("max_tokens")
    if where == MESSAGES:
        asked["metadata"] = {"user_id": tag}
        if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1:
            raise RefusedError(400, "max_tokens is missing or no whole number from 1")
    sent = json.dumps(asked, separators=(",", ":")).encode()
    return Passed(path=path, body=sent, model=asked["model"], max_tokens=limit or 0)


def _forbidden(asked: dict[str, Json]) -> Iterator[str]:
    """What the request would have the service do beside answering."""
    tools = asked.get("tools", [])
    if not isinstance(tools, list):
        yield "tools is no list"
        return
    for tool in tools:
        kind = tool.get("type") or "custom" if isinstance(tool, dict) else ""
        if not isinstance(kind, str) or (kind.rpartition("_")[0] not in OWN_TOOLS and kind not in OWN_TOOLS):
            yield f"a tool of type {str(kind)[:100]} would be run by the service"
    yield from _sources(asked.get("messages"))
    yield from _sources(asked.get("system"))


def _sources(value: Json) -> Iterator[str]:
    """Sources that the service would get from elsewhere, at any depth but a tool call's own arguments."""
    waiting = [value]
    while waiting:
        found = waiting.pop()
        if isinstance(found, list):
            waiting += found
        elif isinstance(found, dict):
            source = found.get("source")
            if isinstance(source, dict) and (source.get("type") in _FETCHED or "file_id" in source or "url" in source):
                yield f"a source of type {str(source.get('type'))[:100]} would be fetched by the service"
            if found.get("type") in {"container_upload", "mcp_tool_use", "server_tool_use"} or "file_id" in found:
                yield f"a block of type {str(found.get('type'))[:100]} is not passed on"
            waiting += [inside for key, inside in found.items() if key != "input"]
