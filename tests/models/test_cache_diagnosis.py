"""Why the prompt cache missed, as the service tells it through the real SDK, and what our agent's rollouts show."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from harness.models.usage import cache_miss
from harness.ports import ModelRequest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.models.anthropic_api import AnthropicModel
    from harness.ports import Json

CACHED: Json = {"type": "ephemeral"}
BASH: Json = {"type": "bash_20250124", "name": "bash"}
EDITOR: Json = {"type": "text_editor_20250728", "name": "str_replace_based_edit_tool"}
FIRST = ModelRequest(
    role="coder",
    subject="adhoc/-/variant/0123/basket-discount/1",
    task="basket-discount",
    model="claude-sonnet-5-5",
    system=[{"type": "text", "text": "You work. " * 100}],
    messages=[{"role": "user", "content": [{"type": "text", "text": "Do it.", "cache_control": CACHED}]}],
    max_tokens=16_000,
    tools=(BASH,),
    previous="",
)


def second(model: AnthropicModel, task: str = "Do it.") -> ModelRequest:
    """The next request of a conversation that began with FIRST; `task` is what its first message says now."""
    reply = model.send(FIRST)
    results: Sequence[Json] = [
        {"type": "tool_result", "tool_use_id": block["id"], "content": "CHANGELOG.md", "cache_control": CACHED}
        for block in reply.content
        if isinstance(block, dict) and block["type"] == "tool_use"
    ]
    turns: Sequence[Json] = [
        {"role": "user", "content": [{"type": "text", "text": task}]},
        {"role": "assistant", "content": reply.content},
        {"role": "user", "content": results},
    ]
    return replace(FIRST, messages=turns, previous=reply.id)


def test_a_conversation_that_only_grows_has_no_miss_and_reads_from_the_cache(model: AnthropicModel) -> None:
    call = model.send(second(model)).call
    assert call.cache_miss == ""
    assert call.usage.cache_read > call.usage.cache_write_5m


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"system": [{"type": "text", "text": "You work well. " * 100}]}, "system_changed"),
        ({"tools": (BASH, EDITOR)}, "tools_changed"),
        ({"model": "rehearsal"}, "model_changed"),
    ],
)
def test_what_changed_before_the_conversation_is_told_with_what_it_was_worth(
    model: AnthropicModel, change: dict[str, object], reason: str
) -> None:
    call = model.send(replace(second(model), **change)).call  # type: ignore[arg-type]
    assert call.cache_miss.startswith(f"{reason}, about ")
    assert call.usage.cache_read == 0


def test_an_earlier_message_that_changed_is_told(model: AnthropicModel) -> None:
    assert model.send(second(model, "Do it well.")).call.cache_miss.startswith("messages_changed, about ")


def test_an_answer_that_the_service_does_not_know_is_told(model: AnthropicModel) -> None:
    assert model.send(replace(FIRST, previous="msg_of_another_make")).call.cache_miss == "previous_message_not_found"


def test_nothing_is_told_where_nothing_was_asked(model: AnthropicModel) -> None:
    assert model.send(replace(second(model), system=(), previous=None)).call.cache_miss == ""


@pytest.mark.parametrize("said", [None, {}, {"cache_miss_reason": None}, "odd", {"cache_miss_reason": "odd"}])
def test_a_diagnosis_that_is_pending_or_of_another_form_is_no_miss(said: object) -> None:
    assert cache_miss(json.loads(json.dumps(said))) == ""
