import json
from typing import Any

import pytest

from harness.models.relay.rules import RefusedError, passed

PLAIN: dict[str, Any] = {"model": "m", "max_tokens": 10, "messages": [{"role": "user", "content": "hi"}]}


def asked(**changes: Any) -> bytes:  # noqa: ANN401  (any JSON)
    return json.dumps(PLAIN | changes).encode()


def content(block: dict[str, Any]) -> bytes:
    return asked(messages=[{"role": "user", "content": [block]}])


@pytest.mark.parametrize("path", ["/v1/messages", "/v1/messages?beta=true", "/v1/messages/count_tokens?beta=true"])
def test_the_two_paths_of_the_messages_api_are_passed(path: str) -> None:
    assert passed(path, asked(), {"m"}, "tag").model == "m"


@pytest.mark.parametrize(
    "path",
    [
        "/v1/messages/batches",
        "/v1/files",
        "/v1/messages/",
        "/v1/messages?beta=false",
        "/v1/messages?beta=true&x=1",
        "//v1/messages",
        "/v1/messages/../files",
        "/v1/organizations/api_keys",
        "http://other.example/v1/messages",
    ],
)
def test_every_other_path_is_refused(path: str) -> None:
    with pytest.raises(RefusedError, match="no way to"):
        passed(path, asked(), {"m"}, "tag")


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"no", b"[" * 100_000, asked(model="other"), asked(model=None), asked(max_tokens=0)]
)
def test_a_body_of_another_form_or_model_is_refused(body: bytes) -> None:
    with pytest.raises(RefusedError):
        passed("/v1/messages", body, {"m"}, "tag")


@pytest.mark.parametrize(
    "key", ["mcp_servers", "container", "service_tier", "speed", "inference_geo", "something_that_came_later"]
)
def test_a_key_that_is_not_listed_is_refused_by_name(key: str) -> None:
    with pytest.raises(RefusedError, match=key):
        passed("/v1/messages", asked(**{key: 1}), {"m"}, "tag")


@pytest.mark.parametrize(
    "kind",
    [
        "web_search_20250305",
        "web_fetch_20250910",
        "code_execution_20250825",
        "mcp_toolset",
        "advisor_20260301",
        "bash_code_execution",
    ],
)
def test_a_tool_that_the_service_would_run_is_refused(kind: str) -> None:
    with pytest.raises(RefusedError, match="run by the service"):
        passed("/v1/messages", asked(tools=[{"type": kind, "name": "x"}]), {"m"}, "tag")


@pytest.mark.parametrize("tool", [{"name": "Bash"}, {"type": "custom", "name": "x"}, {"type": "bash_20250124", "name": "bash"}])
def test_a_tool_that_the_program_runs_itself_is_passed(tool: dict[str, str]) -> None:
    assert passed("/v1/messages", asked(tools=[tool]), {"m"}, "tag").max_tokens == 10


@pytest.mark.parametrize(
    "block",
    [
        {"type": "image", "source": {"type": "url", "url": "http://x"}},
        {"type": "document", "source": {"type": "file", "file_id": "f"}},
        {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "image", "source": {"type": "url", "url": "http://x"}}]},
        {"type": "container_upload", "file_id": "f"},
    ],
)
def test_a_source_that_the_service_would_fetch_is_refused_at_any_depth(block: dict[str, Any]) -> None:
    with pytest.raises(RefusedError):
        passed("/v1/messages", content(block), {"m"}, "tag")


def test_the_arguments_of_a_tool_call_are_nobodys_source() -> None:
    block = {"type": "tool_use", "id": "t", "name": "x", "input": {"source": {"type": "url", "url": "http://x"}, "file_id": "f"}}
    messages = [PLAIN["messages"][0], {"role": "assistant", "content": [block]}]
    assert passed("/v1/messages", asked(messages=messages), {"m"}, "tag")


def test_who_asks_is_said_by_the_tag_alone_and_all_else_goes_on_as_it_came() -> None:
    sent = json.loads(passed("/v1/messages", asked(metadata={"user_id": "device"}), {"m"}, "tag").body)
    assert sent == PLAIN | {"metadata": {"user_id": "tag"}}
