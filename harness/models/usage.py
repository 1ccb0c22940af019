"""What one call to the Messages API used, and why it could not use the cache: as reported, or as far as can be told."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from harness.rollout import Usage
from harness.spending import worst

if TYPE_CHECKING:
    from collections.abc import Mapping

    from anthropic.types import Message
    from anthropic.types import Usage as SdkUsage

_CHARACTERS_PER_TOKEN = 4


def usage_of(usage: SdkUsage | None) -> Usage:
    """What one call used, by billing class."""
    if usage is None:
        return Usage(calls=1)
    split = usage.cache_creation
    written = usage.cache_creation_input_tokens or 0
    return Usage(
        input=usage.input_tokens or 0,
        cache_read=usage.cache_read_input_tokens or 0,
        cache_write_5m=split.ephemeral_5m_input_tokens if split else written,
        cache_write_1h=split.ephemeral_1h_input_tokens if split else 0,
        output=usage.output_tokens or 0,
        calls=1,
    )


def cache_miss(diagnostics: object) -> str:
    """Why the cached prompt of the call before could not be used, in the API's word with about how many tokens it was worth.

    Empty where it could, where nobody asked, and where the service had not compared the two requests yet.
    """
    reason = diagnostics.get("cache_miss_reason") if isinstance(diagnostics, dict) else None
    if not isinstance(reason, dict):
        return ""
    tokens = reason.get("cache_missed_input_tokens")
    return f"{reason.get('type')}, about {tokens} tokens" if tokens else str(reason.get("type"))


def used(seen: Message) -> Usage:
    """What a broken stream had used: the prompt as reported, and about a token for four characters that had come."""
    came = sum(len(str(block.to_dict(mode="json"))) for block in seen.content)
    usage = usage_of(seen.usage)
    return replace(usage, output=max(usage.output, came // _CHARACTERS_PER_TOKEN, 1))


def unanswered(parameters: Mapping[str, Any]) -> Usage:
    """The most that a request may use of which nothing was heard: it may have been answered all the same."""
    prompt = json.dumps(parameters, ensure_ascii=False, default=list).encode("utf-8", "replace")
    return worst(len(prompt), parameters["max_tokens"])
