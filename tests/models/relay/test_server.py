"""The relay before the rehearsal service, spoken to as a program in a container would: HTTP over the line's socket."""

from __future__ import annotations

import http.client
import json
import socket
import socketserver
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2
import pytest

from harness.delivery import deliver
from harness.models.prices import list_prices
from harness.models.relay.server import SOCKET, Relay, Upstream
from harness.models.tag import tag_of
from harness.ports import Assignment, Limits
from harness.rollout import Ending
from harness.skill import Skill, Variant
from harness.tree import Tree
from harness.trial import Arm, Stage, TrialKey

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.models.rehearsal import Rehearsal
    from harness.ports import Line
    from harness.task import Task

MODEL = "claude-sonnet-5-5"
ASKED: dict[str, Any] = {
    "model": MODEL,
    "max_tokens": 100,
    "stream": True,
    "messages": [{"role": "user", "content": "Do it."}],
    "tools": [{"name": "Bash", "input_schema": {"type": "object"}}],
}


@pytest.fixture(scope="module")
def relay(rehearsal: Rehearsal) -> Iterator[Relay]:
    upstream = Upstream(api_key="the key", base_url=rehearsal.base_url, models=frozenset({MODEL}))
    made = Relay(upstream, rehearsal.announce, list_prices().cost)
    yield made
    made.close()


@pytest.fixture
def work(task: Task) -> Assignment:
    entry = "---\nname: coding\ndescription: How.\n---\n\nLook first.\n"
    variant = Variant(skill=Skill(name="coding", description="How.", entry="SKILL.md", tree=Tree.of({"SKILL.md": entry})))
    key = TrialKey(stage=Stage.ADHOC, confirmation="", arm=Arm.VARIANT, variant=variant.id, task=task.id, repeat=1)
    return Assignment(key=key, task=task, variant=variant, delivered=deliver(variant, "system"), limits=Limits())


class _Connection(http.client.HTTPConnection):
    def __init__(self, path: str) -> None:
        super().__init__("inside", timeout=20)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(20)
        self.sock.connect(self._path)


def said(line: Line, body: dict[str, Any] | bytes, path: str = "/v1/messages", method: str = "POST") -> tuple[int, bytes]:
    """One request of the program's, with a key that is none."""
    connection = _Connection(f"{line.mounts[0].source}/{SOCKET}")
    sent = body if isinstance(body, bytes) else json.dumps(body).encode()
    try:
        connection.request(method, path, sent, {"content-type": "application/json", "x-api-key": "none"})
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def test_an_answer_comes_back_byte_by_byte_as_the_service_gave_it(relay: Relay, rehearsal: Rehearsal, work: Assignment) -> None:
    with relay.open(work) as line:
        status, through = said(line, ASKED)
    tagged = ASKED | {"metadata": {"user_id": tag_of("coder", str(work.key))}}
    straight = httpx2.post(f"{rehearsal.base_url}/v1/messages", json=tagged, headers={"x-api-key": "the key"})
    events = [line for line in straight.content.split(b"\n") if b'"usage"' not in line]  # the body's length differs by spaces
    assert status == 200
    assert [line for line in through.split(b"\n") if b'"usage"' not in line] == events


def test_every_answer_is_booked_at_its_price_and_kept_with_its_request(relay: Relay, work: Assignment) -> None:
    with relay.open(work) as line:
        said(line, ASKED)
        (exchange,) = line.finish()
    assert exchange.call is not None
    assert exchange.call.cost_usd == list_prices().cost(MODEL, exchange.call.usage)
    assert exchange.call.usage.output > 0
    assert json.loads(exchange.body)["messages"] == ASKED["messages"]
    assert isinstance(exchange.message, dict)
    assert exchange.message["stop_reason"] == "tool_use"


def test_counting_tokens_is_passed_on_and_costs_nothing(relay: Relay, work: Assignment) -> None:
    with relay.open(work) as line:
        status, body = said(line, {key: ASKED[key] for key in ("model", "messages")}, "/v1/messages/count_tokens?beta=true")
        assert (status, json.loads(body)["input_tokens"] > 0, line.finish()) == (200, True, ())


@pytest.mark.parametrize(
    ("method", "path", "change"),
    [
        ("POST", "/v1/messages/batches", {}),
        ("GET", "/v1/models", {}),
        ("POST", "/v1/messages", {"mcp_servers": []}),
        ("POST", "/v1/messages", {"model": "claude-opus-5-5"}),
        ("POST", "/v1/messages", {"tools": [{"type": "web_fetch_20250910", "name": "web_fetch"}]}),
    ],
)
def test_whatever_is_not_allowed_is_refused_recorded_and_never_reaches_the_service(
    relay: Relay, work: Assignment, method: str, path: str, change: dict[str, Any]
) -> None:
    with relay.open(work) as line:
        status, _ = said(line, ASKED | change, path, method)
        (exchange,) = line.finish()
    assert status in {403, 404}
    assert (exchange.status, exchange.call, bool(exchange.refused)) == (0, None, True)


@pytest.mark.parametrize("limits", [Limits(calls=2), Limits(tokens=30), Limits(usd=0.0018)])
def test_a_limit_of_the_trial_forbids_the_next_request(relay: Relay, work: Assignment, limits: Limits) -> None:
    with relay.open(replace(work, limits=limits)) as line:
        statuses = [said(line, ASKED)[0] for _ in range(4)]
        exchanges = line.finish()
    passed = statuses.count(200)
    assert 0 < passed < 4
    assert statuses[passed:] == [403] * (4 - passed)
    assert exchanges[-1].ending is Ending.AGENT_BUDGET


def test_a_budget_is_not_passed_by_asking_all_at_once(relay: Relay, work: Assignment) -> None:
    with relay.open(replace(work, limits=Limits(calls=3))) as line:
        threads = [threading.Thread(target=said, args=(line, ASKED)) for _ in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sum(exchange.call is not None for exchange in line.finish()) == 3


def test_nothing_passes_once_the_trial_is_over(relay: Relay, work: Assignment) -> None:
    with relay.open(work) as line:
        line.finish()
        assert said(line, ASKED)[0] == 403
        assert line.finish() == ()


def test_the_socket_is_gone_with_its_trial_and_every_trial_has_its_own(relay: Relay, work: Assignment) -> None:
    with relay.open(work) as first, relay.open(work) as second:
        folders = [Path(line.mounts[0].source) for line in (first, second)]
        assert len(set(folders)) == 2
    with pytest.raises(OSError, match=r"Connection refused|No such file"):
        said(first, ASKED)


@pytest.mark.parametrize("sent", [b"no http at all\r\n\r\n", b"POST /v1/messages HTTP/1.1\r\n\r\n", b"\x00" * 70_000])
def test_what_is_no_request_harms_nobody(relay: Relay, work: Assignment, sent: bytes) -> None:
    with relay.open(work) as line:
        with socket.socket(socket.AF_UNIX) as rude:
            rude.settimeout(20)
            rude.connect(f"{line.mounts[0].source}/{SOCKET}")
            try:
                rude.sendall(sent)
                rude.recv(1000)
            except OSError:
                pass
        assert said(line, ASKED)[0] == 200


def test_a_service_that_cannot_be_reached_is_its_fault(work: Assignment) -> None:
    upstream = Upstream(api_key="k", base_url="http://127.0.0.1:9", models=frozenset({MODEL}))
    relay = Relay(upstream, lambda *_: None, list_prices().cost)
    with relay.open(work) as line:
        status, _ = said(line, ASKED)
        (exchange,) = line.finish()
    relay.close()
    assert (status, exchange.call, exchange.fault.startswith("ConnectError")) == (502, None, True)


def test_the_key_is_not_shown_where_the_relay_is_printed() -> None:
    assert "secret" not in repr(Upstream(api_key="secret", base_url="http://x", models=frozenset()))


class _Silent(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        self.request.recv(65536)
        self.server.over.wait(30)  # type: ignore[attr-defined]


def test_a_request_that_is_never_answered_is_booked_at_the_most_that_it_may_cost(work: Assignment) -> None:
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), _Silent) as silent:
        silent.over = threading.Event()  # type: ignore[attr-defined]
        threading.Thread(target=silent.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        where = f"http://127.0.0.1:{silent.server_address[1]}"
        relay = Relay(Upstream(api_key="k", base_url=where, models=frozenset({MODEL})), lambda *_: None, list_prices().cost)
        with relay.open(work) as line:
            asking = threading.Thread(target=said, args=(line, ASKED), daemon=True)
            asking.start()
            time.sleep(0.5)
            (exchange,) = line.finish()
            silent.over.set()  # type: ignore[attr-defined]
            asking.join()
        silent.shutdown()
        relay.close()
    assert exchange.call is not None
    assert exchange.call.cost_usd is not None
    assert exchange.call.cost_usd > 0.001
