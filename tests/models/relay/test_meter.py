import json
from typing import Any

import pytest

from harness.models.relay.meter import read
from harness.rollout import Usage

SSE = "text/event-stream; charset=utf-8"
STARTED = {
    "type": "message_start",
    "message": {"id": "msg_1", "content": [], "usage": {"input_tokens": 7, "cache_read_input_tokens": 5, "output_tokens": 1}},
}
STREAM = (
    STARTED,
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "I "}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "look."}},
    {"type": "content_block_stop", "index": 0},
    {"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "t", "name": "Bash", "input": {}}},
    {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": '{"command"'}},
    {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": ': "ls"}'}},
    {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 40}},
    {"type": "message_stop"},
)


def events(*found: dict[str, Any]) -> bytes:
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in found).encode()


def test_a_stream_is_put_together_as_the_message_that_it_was() -> None:
    found = read(200, SSE, events(*STREAM))
    assert isinstance(found.message, dict)
    assert found.message["content"] == [
        {"type": "text", "text": "I look."},
        {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "ls"}},
    ]
    assert (found.message["stop_reason"], found.fault) == ("tool_use", "")
    assert found.usage == Usage(input=7, cache_read=5, output=40, calls=1)


def test_a_stream_that_was_cut_tells_what_was_billed_up_to_there() -> None:
    found = read(200, SSE, events(*STREAM[:6]) + b'event: content_block_delta\ndata: {"type": "conte')
    assert (found.usage, found.fault) == (Usage(input=7, cache_read=5, output=2, calls=1), "the stream ended inside a message")


def test_an_overload_inside_a_stream_is_a_fault_with_its_usage() -> None:
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    assert read(200, SSE, events(error)).usage is None
    found = read(200, SSE, events(*STREAM[:3], error))
    assert (found.usage is not None, found.fault) == (True, "overloaded_error inside the stream: Overloaded")


@pytest.mark.parametrize(("status", "fault"), [(429, True), (500, True), (529, True), (400, False), (401, False), (404, False)])
def test_only_a_status_worth_another_try_is_the_services_fault(status: int, fault: bool) -> None:  # noqa: FBT001
    assert bool(read(status, "application/json", b"{}").fault) is fault


def test_an_answer_without_a_stream_is_read_too_and_bytes_that_are_no_answer_are_a_fault() -> None:
    usage = {"input_tokens": 3, "output_tokens": 2, "cache_creation": {"ephemeral_1h_input_tokens": 4}}
    assert read(200, "application/json", json.dumps({"usage": usage}).encode()).usage == Usage(
        input=3, output=2, cache_write_1h=4, calls=1
    )
    assert read(200, "application/json", b"<html>").fault == "the answer is not JSON"
    assert read(200, SSE, b"").fault == "the stream ended before a message began"


def test_a_usage_that_is_not_reported_is_none_and_never_zero() -> None:
    assert read(200, "application/json", b'{"content": []}').usage is None


def test_of_a_long_answer_that_was_cut_what_was_heard_is_counted() -> None:
    long = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "word " * 800}}
    usage = read(200, SSE, events(*STREAM[:2], long)).usage
    assert usage is not None
    assert usage.output == 1000
