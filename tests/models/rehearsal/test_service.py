import json
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anthropic
import pytest

from harness.errors import ServiceUnavailableError
from harness.models.rehearsal import Rehearsal
from harness.models.tag import tag_of

TAG = tag_of("coder", "adhoc/raw")
BODY: dict[str, Any] = {
    "model": "rehearsal",
    "max_tokens": 100,
    "messages": [{"role": "user", "content": "Do it."}],
    "metadata": {"user_id": TAG},
    "tools": [{"type": "bash_20250124", "name": "bash"}],
}
USE = {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "bash", "input": {"command": "ls"}}]}


@pytest.fixture
def client(rehearsal: Rehearsal) -> Iterator[anthropic.Anthropic]:
    rehearsal.announce(TAG, "coder", "adhoc/raw", "basket-discount")
    with anthropic.Anthropic(api_key="the key", base_url=rehearsal.base_url, max_retries=0) as client:
        yield client


def refused(rehearsal: Rehearsal, path: str, body: object) -> tuple[int, str]:
    headers = {"x-api-key": "the key", "content-type": "application/json"}
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(urllib.request.Request(f"{rehearsal.base_url}{path}", data, headers))  # noqa: S310
    with caught.value:
        return caught.value.code, json.loads(caught.value.read())["error"]["message"]


def test_streamed_and_plain_answers_are_the_same_message(client: anthropic.Anthropic) -> None:
    plain = client.messages.create(**BODY)
    with client.messages.stream(**BODY) as stream:
        streamed = stream.get_final_message()
    assert (streamed.id, streamed.stop_reason, streamed.usage.output_tokens) == (
        plain.id,
        plain.stop_reason,
        plain.usage.output_tokens,
    )
    assert [block.to_dict() for block in streamed.content] == [block.to_dict() for block in plain.content]


def test_tokens_are_counted(client: anthropic.Anthropic) -> None:
    assert client.messages.count_tokens(model="rehearsal", messages=[{"role": "user", "content": "x" * 4000}]).input_tokens > 1000


def test_with_a_cache_point_later_calls_read_what_earlier_ones_wrote(client: anthropic.Anthropic) -> None:
    cached = {"type": "ephemeral"}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "CHANGELOG.md", "cache_control": cached}
    turns = [{"role": "user", "content": "Do it. " * 400}, USE, {"role": "user", "content": [result]}]
    usage = client.messages.create(**{**BODY, "messages": turns}).usage
    assert usage.input_tokens == 1
    assert (usage.cache_read_input_tokens or 0) > (usage.cache_creation_input_tokens or 0) > 0


def test_a_batch_gives_its_answers_by_custom_id_in_any_order(client: anthropic.Anthropic) -> None:
    requests: Any = [{"custom_id": "one", "params": BODY}, {"custom_id": "bad", "params": {**BODY, "metadata": {}}}]
    batch = client.messages.batches.create(requests=requests)
    assert client.messages.batches.retrieve(batch.id).processing_status == "ended"
    found = {entry.custom_id: entry.result.type for entry in client.messages.batches.results(batch.id)}
    assert found == {"one": "succeeded", "bad": "errored"}


@pytest.mark.parametrize(
    ("path", "change", "status", "words"),
    [
        ("/v1/messages", {"metadata": {"user_id": "f" * 32}}, 400, "unknown tag"),
        ("/v1/messages", {"metadata": {}}, 400, "unknown tag"),
        ("/v1/messages", {"messages": []}, 400, "first message"),
        ("/v1/messages", {"messages": [USE]}, 400, "first message"),
        ("/v1/messages", {"messages": [*BODY["messages"], USE]}, 400, "without tool_result"),
        ("/v1/messages", {"max_tokens": "many"}, 400, "max_tokens"),
        ("/v1/messages", {"diagnostics": ["a"]}, 400, "diagnostics"),
        ("/v1/messages", {"diagnostics": {"previous_message_id": 7}}, 400, "previous_message_id"),
        ("/v1/messages", {"model": "gpt"}, 404, "model: gpt"),
        ("/v1/files", {}, 404, "no such path"),
    ],
)
def test_what_the_api_would_refuse_is_refused(
    rehearsal: Rehearsal, path: str, change: dict[str, object], status: int, words: str
) -> None:
    code, message = refused(rehearsal, path, {**BODY, **change})
    assert (code, words in message) == (status, True)


def test_a_body_that_is_no_json_is_refused(rehearsal: Rehearsal) -> None:
    assert refused(rehearsal, "/v1/messages", b"{")[0] == 400


def test_a_suite_that_is_not_there_is_said_at_the_start(tmp_path: Path) -> None:
    with pytest.raises(ServiceUnavailableError, match=r"suite\.toml"):
        Rehearsal.start(suite=tmp_path, table=tmp_path / "tags", seed=1)


def test_the_service_ends_when_whoever_started_it_is_gone(suite_folder: Path, tmp_path: Path) -> None:
    argv = [sys.executable, "-m", "harness.models.rehearsal", "--until-stdin-closes", "--suite", str(suite_folder)]
    process = subprocess.Popen(
        [*argv, "--table", str(tmp_path / "tags"), "--seed", "1"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline().startswith("http://127.0.0.1:")
    process.communicate(timeout=20)
    assert process.returncode == 0


def test_stopping_twice_does_no_harm(suite_folder: Path, tmp_path: Path) -> None:
    service = Rehearsal.start(suite=suite_folder, table=tmp_path / "tags", seed=1)
    service.stop()
    service.stop()
