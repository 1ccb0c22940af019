"""The Messages API's shapes: requests as they enter, messages and event streams as they leave."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from harness.ports import Json


class _Open(BaseModel):
    """The API takes more keys than a rehearsal needs to know."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class TextBlock(_Open):
    """Text inside a tool's result."""

    type: str
    text: str = ""


class Block(_Open):
    """One content block of any type, with the keys that matter here."""

    type: str
    text: str = ""
    id: str = ""
    tool_use_id: str = ""
    name: str = ""
    content: str | tuple[TextBlock, ...] = ""
    is_error: bool = False
    cache_control: dict[str, str] | None = None

    @property
    def shown(self) -> str:
        """The text that a model reads in this block."""
        inside = self.content if isinstance(self.content, str) else "\n".join(block.text for block in self.content)
        return self.text or inside


class Turn(_Open):
    """One message."""

    role: Literal["user", "assistant", "system"]
    content: str | tuple[Block, ...]

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The content as blocks."""
        return (Block(type="text", text=self.content),) if isinstance(self.content, str) else self.content


class Metadata(_Open):
    """Who asks, as an opaque tag."""

    user_id: str = ""


class Diagnostics(_Open):
    """Why a prompt was not found in the cache is asked by naming the answer before."""

    previous_message_id: str | None = None


class Tool(_Open):
    """A tool on offer."""

    name: str
    type: str = "custom"


class Format(_Open):
    """The form of a structured answer."""

    type: Literal["json_schema"]


class OutputConfig(_Open):
    """Effort and form."""

    format: Format | None = None


class MessagesRequest(_Open):
    """The body of `POST /v1/messages`."""

    model: str
    max_tokens: int
    messages: tuple[Turn, ...]
    system: str | tuple[Block, ...] = ""
    tools: tuple[Tool, ...] = ()
    metadata: Metadata = Metadata()
    diagnostics: Diagnostics | None = None
    output_config: OutputConfig = OutputConfig()
    stream: bool = False

    @property
    def calls(self) -> int:
        """How many answers this conversation holds already: the number of this call, from 0."""
        return sum(turn.role == "assistant" for turn in self.messages)

    @property
    def system_text(self) -> str:
        """The system prompt."""
        return self.system if isinstance(self.system, str) else "\n".join(block.text for block in self.system)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a part says: content blocks in the API's shape, and why it stops."""

    content: Sequence[Mapping[str, Json]]
    stop_reason: str


def says(text: str, stop_reason: str = "end_turn") -> Answer:
    """An answer of plain text."""
    return Answer(content=({"type": "text", "text": text},), stop_reason=stop_reason)


def message(answer: Answer, model: str, message_id: str, usage: Mapping[str, Json], diagnostics: Json) -> Mapping[str, Json]:
    """A whole message."""
    return {
        "id": f"msg_{message_id}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": answer.content,
        "stop_reason": answer.stop_reason,
        "stop_sequence": None,
        "usage": usage,
        "diagnostics": diagnostics,
    }


def error_body(kind: str, words: str) -> Mapping[str, Json]:
    """An error as the API words it."""
    return {"type": "error", "error": {"type": kind, "message": words}}


def stream(whole: Mapping[str, Json], answer: Answer) -> Iterator[bytes]:
    """A message as server-sent events, one delta a block."""
    usage = whole["usage"]
    yield _event("message_start", message={**whole, "content": (), "stop_reason": None})
    for index, block in enumerate(answer.content):
        start, delta = _opened(block)
        yield _event("content_block_start", index=index, content_block=start)
        yield _event("content_block_delta", index=index, delta=delta)
        yield _event("content_block_stop", index=index)
    delta = {"stop_reason": answer.stop_reason, "stop_sequence": None}
    yield _event("message_delta", delta=delta, usage=usage)
    yield _event("message_stop")


def error_event(kind: str, words: str) -> bytes:
    """An error inside a stream."""
    return f"event: error\ndata: {json.dumps(error_body(kind, words))}\n\n".encode()


def _opened(block: Mapping[str, Json]) -> tuple[Json, Mapping[str, Json]]:
    if block["type"] == "tool_use":
        return {**block, "input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    return {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}


def _event(kind: str, **data: Json) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **data})}\n\n".encode()
