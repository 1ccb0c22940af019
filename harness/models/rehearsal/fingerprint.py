"""The rehearsal's cache diagnosis: where a request's prompt parts from that of the answer that it names.

The service remembers nothing, so an answer's id carries the fingerprint of the request that it answers.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Self

    from harness.ports import Json

_DIGITS = 8
_PARTS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprint:
    """Hashes of a prompt's parts in the order in which the service compares them; `turns` is how many messages there were."""

    model: str
    system: str
    tools: str
    turns: int
    messages: str

    @classmethod
    def of(cls, request: Mapping[str, Any], turns: int | None = None) -> Self:
        """That of a request's body, or of its beginning with so many messages."""
        kept = request["messages"][:turns]
        return cls(
            model=_hash(request["model"]),
            system=_hash(request.get("system")),
            tools=_hash(request.get("tools")),
            turns=len(kept),
            messages=_hash(kept),
        )

    @classmethod
    def read(cls, message_id: str) -> Self | None:
        """That which an answer's id carries, or None for an id of another make."""
        parts = message_id.split("_")[2:]
        if len(parts) != _PARTS or not parts[3].isdecimal():
            return None
        return cls(model=parts[0], system=parts[1], tools=parts[2], turns=int(parts[3]), messages=parts[4])

    def __str__(self) -> str:
        return "_".join((self.model, self.system, self.tools, str(self.turns), self.messages))


def diagnosed(request: Mapping[str, Any], previous: str | None, tokens: int) -> Json:
    """The answer's `diagnostics` for a request that names the previous answer by its id, or None.

    None where nothing was asked, there is nothing to compare with, or the prompt only grew.
    """
    if not previous:
        return None
    before = Fingerprint.read(previous)
    if before is None:
        return {"cache_miss_reason": {"type": "previous_message_not_found"}}
    now = Fingerprint.of(request, before.turns)
    changed = next((part for part in ("model", "system", "tools") if getattr(now, part) != getattr(before, part)), "")
    if not changed and (now.turns, now.messages) != (before.turns, before.messages):
        changed = "messages"
    return {"cache_miss_reason": {"type": f"{changed}_changed", "cache_missed_input_tokens": tokens}} if changed else None


def _bare(value: Any) -> Any:  # noqa: ANN401  (JSON)
    """Without cache points, which wander from request to request; a lone text may be a string or a block."""
    if isinstance(value, list):
        return [_bare(item) for item in value]
    if isinstance(value, dict):
        content = value.get("content")
        told = value | {"content": [{"type": "text", "text": content}]} if isinstance(content, str) else value
        return {key: _bare(item) for key, item in told.items() if key != "cache_control"}
    return value


def _hash(value: object) -> str:
    return hashlib.sha256(json.dumps(_bare(value), sort_keys=True).encode()).hexdigest()[:_DIGITS]
