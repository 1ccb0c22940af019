"""What a response of the Messages API says: the message put together, its usage, and what was wrong with it. Pure.

Works on whatever arrived: a stream that was cut still tells what was billed up to there.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from harness.rollout import Usage

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from harness.ports import Json

_TRANSIENT = frozenset({408, 409, 429})  # the SDK's own list of statuses worth another try, beside 5xx
OK = 200
_WRITTEN = frozenset({"text", "thinking", "input", "input_cut_off"})
_CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """The message (None where none began), its usage (None where nothing was reported), and the service's fault, or ""."""

    message: Json
    usage: Usage | None
    fault: str

    @property
    def diagnostics(self) -> Json:
        """What the service said of its cache, where it was asked."""
        return self.message.get("diagnostics") if isinstance(self.message, dict) else None


def read(status: int, content_type: str, body: bytes) -> Answered:
    """What the bytes of a response say."""
    if status != OK:
        said = body.decode("utf-8", "replace")[:300]
        server = status >= 500 or status in _TRANSIENT  # noqa: PLR2004  (HTTP)
        return Answered(message=None, usage=None, fault=f"{status}: {said}" if server else "")
    if content_type.startswith("text/event-stream"):
        return _streamed(body)
    try:
        message = json.loads(body)
    except ValueError:
        return Answered(message=None, usage=None, fault="the answer is not JSON")
    return Answered(message=message, usage=_usage(message.get("usage")) if isinstance(message, dict) else None, fault="")


@dataclass(slots=True)
class _Growing:
    """A message as its events come."""

    message: dict[str, Any] | None = None
    usage: dict[str, Any] = field(default_factory=dict)
    blocks: dict[int, dict[str, Any]] = field(default_factory=dict)
    pieces: dict[int, str] = field(default_factory=dict)
    fault: str = ""
    whole: bool = False

    def take(self, event: Mapping[str, Any]) -> None:
        match event.get("type"):
            case "message_start":
                self.message = dict(event["message"])
                self.usage |= self.message.get("usage") or {}
            case "content_block_start":
                self.blocks[event["index"]] = dict(event["content_block"])
            case "content_block_delta":
                self._delta(event["index"], event["delta"])
            case "message_delta":
                self.usage |= {key: value for key, value in (event.get("usage") or {}).items() if value is not None}
                if self.message is not None:
                    self.message |= {key: value for key, value in event["delta"].items() if key != "type"}
            case "message_stop":
                self.whole = True
            case "error":
                error = event.get("error") or {}
                self.fault = f"{error.get('type')} inside the stream: {error.get('message')}"[:300]

    def _delta(self, index: int, delta: Mapping[str, Any]) -> None:
        block = self.blocks.setdefault(index, {})
        for key in ("text", "thinking", "signature"):
            if key in delta:
                block[key] = str(block.get(key) or "") + delta[key]
        if "partial_json" in delta:
            self.pieces[index] = self.pieces.get(index, "") + delta["partial_json"]

    def content(self) -> list[dict[str, Any]]:
        for index, text in self.pieces.items():
            try:
                self.blocks[index]["input"] = json.loads(text or "{}")
            except ValueError:
                self.blocks[index]["input_cut_off"] = text
        return [self.blocks[index] for index in sorted(self.blocks)]


def _streamed(body: bytes) -> Answered:
    growing = _Growing()
    for event in _events(body):
        try:
            growing.take(event)
        except (KeyError, TypeError, AttributeError):
            growing.fault = "an event of unknown form"
    if growing.message is None:
        return Answered(message=None, usage=None, fault=growing.fault or "the stream ended before a message began")
    fault = growing.fault or ("" if growing.whole else "the stream ended inside a message")
    content = growing.content()
    if not growing.whole:  # the last count never came: what was heard is the least that was billed
        heard = sum(len(str(value)) for block in content for key, value in block.items() if key in _WRITTEN)
        growing.usage["output_tokens"] = max(_count(growing.usage, "output_tokens"), heard // _CHARACTERS_PER_TOKEN)
    message = {**growing.message, "content": content, "usage": growing.usage}
    return Answered(message=message, usage=_usage(growing.usage), fault=fault)


def _events(body: bytes) -> Iterator[Mapping[str, Any]]:
    for line in body.decode("utf-8", "replace").replace("\r\n", "\n").split("\n"):
        if line.startswith("data:"):
            try:
                event = json.loads(line.removeprefix("data:"))
            except ValueError:
                continue
            if isinstance(event, dict):
                yield event


def _usage(found: object) -> Usage | None:
    if not isinstance(found, dict):
        return None
    split = found.get("cache_creation")
    written = _count(found, "cache_creation_input_tokens")
    return Usage(
        input=_count(found, "input_tokens"),
        cache_read=_count(found, "cache_read_input_tokens"),
        cache_write_5m=_count(split, "ephemeral_5m_input_tokens") if isinstance(split, dict) else written,
        cache_write_1h=_count(split, "ephemeral_1h_input_tokens") if isinstance(split, dict) else 0,
        output=_count(found, "output_tokens"),
        calls=1,
    )


def _count(found: Mapping[str, Any], key: str) -> int:
    value = found.get(key)
    return value if isinstance(value, int) and value > 0 else 0
