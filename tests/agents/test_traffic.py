import json
from collections.abc import Callable
from typing import Any

import pytest

from harness.agents.load import as_listed
from harness.agents.traffic import Traffic
from harness.ports import Assignment, Exchange
from harness.rollout import Call, Usage

CALL = Call(role="coder", model="m", usage=Usage(input=5, output=3, calls=1), cost_usd=0.0, request_id="req_1")
TASK: dict[str, Any] = {"role": "user", "content": "Do it."}
LOOKED: dict[str, Any] = {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "Bash", "input": {}}]}


def user(text: str, **more: object) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "text", "text": text, **more}]}


def sent(*messages: dict[str, Any], system: str = "Be good.") -> Exchange:
    body = json.dumps({"system": [{"type": "text", "text": system}], "messages": messages}).encode()
    return Exchange(body=body, status=200, message={"content": [], "stop_reason": "end_turn"}, call=CALL)


def types(*exchanges: Exchange) -> list[str]:
    return [line["type"] for line in Traffic(exchanges).lines() if isinstance(line, dict)]


def test_a_transcript_holds_each_message_once_though_cache_points_wander() -> None:
    first = sent(user("Do it.", cache_control={"type": "ephemeral"}))
    second = sent(TASK, LOOKED, user("found", cache_control={"type": "ephemeral"}))
    assert types(first, second) == ["system", "user", "assistant", "user", "assistant"]


def test_a_second_conversation_beside_the_first_is_told_whole() -> None:
    assert types(sent(TASK), sent(user("A title?"), system="Name things."), sent(TASK, LOOKED, user("x"))) == [
        *("system", "user", "assistant"),
        *("system", "user", "assistant"),
        *("system", "user", "assistant"),
    ]


def test_refused_requests_and_faults_stand_in_the_transcript() -> None:
    assert types(Exchange(body=b"x", refused="no way"), Exchange(body=b"{}", status=529, fault="529")) == ["refused", "fault"]


def test_a_variant_is_loaded_where_a_request_showed_it(assign: Callable[..., Assignment]) -> None:
    delivered = assign("skill", body="Look first.\n\nThen act.").delivered
    shown = user("Base directory for this skill: /x\n\n# Coding\n\nLook first.\n\nThen act.\n")
    load = Traffic((sent(TASK), sent(TASK, LOOKED, shown))).load(delivered)
    assert (load.loaded, load.how, len(load.text_hash)) == (True, "in message 3 of request 2", 64)


def test_a_variant_that_a_later_request_has_lost_is_told(assign: Callable[..., Assignment]) -> None:
    delivered = assign("claude_md", body="Look first.").delivered
    load = Traffic((sent(user("# Coding\nLook first.")), sent(user("summary")))).load(delivered)
    assert load.how == "in message 1 of request 1; the last request no longer held it"


def test_a_variant_is_not_loaded_by_the_models_own_words_nor_by_a_request_that_was_not_answered(
    assign: Callable[..., Assignment],
) -> None:
    delivered = assign("skill", body="Look first.").delivered
    own = sent(TASK, {"role": "assistant", "content": "# Coding\nLook first."})
    unanswered = Exchange(body=sent(user("# Coding\nLook first.")).body, status=529, fault="529")
    assert not Traffic((own, unanswered)).load(delivered).loaded


LISTING = "The following skills are available for use with the Skill tool:\n\n- other: Else.\n- coding: {}\n\nToday is Monday."


@pytest.mark.parametrize(
    ("described", "expected"),
    [
        ("How we work.", (True, "in message 2 of request 1")),
        ("Coding", (False, "the agent lists 'coding: Coding', not 'coding: How we work.'")),
        ("|", (False, "the agent lists 'coding: |', not 'coding: How we work.'")),
        ("How we", (False, "the agent lists 'coding: How we', not 'coding: How we work.'")),
    ],
)
def test_a_skill_that_is_listed_in_other_words_than_those_meant_is_not_loaded(
    assign: Callable[..., Assignment], described: str, expected: tuple[bool, str]
) -> None:
    delivered = assign("skill").delivered
    traffic = Traffic((sent(user(LISTING.format(described)), user("# Coding\n\nLook first.")),))
    found = as_listed(traffic.load(delivered), delivered, traffic.listed("coding"))
    assert (found.loaded, found.how) == expected


def test_a_skill_that_is_not_listed_is_told(assign: Callable[..., Assignment]) -> None:
    delivered = assign("skill").delivered
    traffic = Traffic((sent(TASK),))
    found = as_listed(traffic.load(delivered), delivered, traffic.listed("coding"))
    assert (found.loaded, found.how) == (False, "never seen in what the agent was sent; the agent did not list it")


def test_what_no_agent_lists_is_not_looked_for_in_lists(assign: Callable[..., Assignment]) -> None:
    delivered = assign("claude_md").delivered
    traffic = Traffic((sent(user("# Coding\nLook first.")),))
    assert as_listed(traffic.load(delivered), delivered, ()).how == "in message 1 of request 1"
