"""The time of one call, against services that are slow in each way that one can be."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from harness.models.anthropic_api import PATIENT, AnthropicModel, Patience
from harness.models.prices import list_prices
from harness.ports import Json, ModelRequest, TrialEndedError
from harness.rollout import Ending

TURN: Json = {"role": "user", "content": "Do it."}
BEGIN: Json = {
    "type": "message_start",
    "message": {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-5-5",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 7, "output_tokens": 1},
    },
}
PING: Json = {"type": "ping"}


class Slow(ThreadingHTTPServer):
    """A service that answers in the way of its name: never, with pings for ever, late, by a start and pings, busy for 60 s."""

    daemon_threads = True

    def __init__(self, way: str) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.way = way
        self.asked = 0
        self.gone = threading.Event()


class Answer(BaseHTTPRequestHandler):
    """One answer of it."""

    server: Slow

    def do_POST(self) -> None:
        """Read what was asked, and be slow."""
        self.rfile.read(int(self.headers["content-length"]))
        self.server.asked += 1
        if self.server.way == "never":
            self.server.gone.wait(5)
            return
        if self.server.way == "late":
            self.server.gone.wait(0.6)
        busy = self.server.way == "busy"
        self.send_response(529 if busy else 200)
        self.send_header("retry-after" if busy else "content-type", "55" if busy else "text/event-stream")
        self.end_headers()
        if busy:
            return
        try:
            for event in [BEGIN] if self.server.way == "begun" else []:
                self.say(event)
            while not self.server.gone.wait(0.02):
                self.say(PING)
        except OSError:
            self.server.gone.set()

    def say(self, event: Json) -> None:
        """One event of the stream."""
        assert isinstance(event, dict)
        self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())

    def log_message(self, *_: object) -> None:
        """Silence."""


@pytest.fixture
def slow(request: pytest.FixtureRequest) -> Iterator[Slow]:
    """A service in the way that the test asks for."""
    with Slow(request.param) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield server
        server.gone.set()
        server.shutdown()
        thread.join()


def given_up(
    service: Slow, *, seconds: float | None, patience: Patience = PATIENT, schema: Json = None, then: float = 0.0
) -> tuple[TrialEndedError, float]:
    """The error of a call with so much time, and how long it took; the client is there for `then` seconds more."""
    request = ModelRequest(
        role="coder",
        subject="s",
        task="t",
        model="claude-sonnet-5-5",
        system=(),
        messages=(TURN,),
        max_tokens=1000,
        schema=schema,
        seconds=seconds,
    )
    model = AnthropicModel(
        api_key="k",
        base_url=f"http://127.0.0.1:{service.server_port}",
        announce=lambda *_: None,
        prices=list_prices(),
        patience=patience,
    )
    began = time.monotonic()
    with closing(model):
        with pytest.raises(TrialEndedError) as error:
            model.send(request)
        took = time.monotonic() - began
        time.sleep(then)
    return error.value, took


@pytest.mark.parametrize(
    ("slow", "schema", "booked"),
    [
        ("never", None, [1000]),
        ("never", {"type": "object"}, [1000]),
        ("pings", None, [1000]),
        ("begun", None, [1]),
        ("busy", None, []),
    ],
    indirect=["slow"],
)
def test_a_call_is_given_up_when_its_time_is_over_and_what_it_may_have_used_is_booked(
    slow: Slow, schema: Json, booked: list[int]
) -> None:
    error, took = given_up(slow, seconds=0.5, schema=schema)
    assert (error.ending, error.cause) == (Ending.AGENT_TIMEOUT, "the trial's time was over before the model had answered")
    assert 0.5 <= took < 3.0
    assert [call.usage.output for call in error.calls] == booked


@pytest.mark.parametrize("slow", ["pings"], indirect=True)
def test_a_request_without_a_time_of_its_own_has_the_clients_and_a_service_that_never_ends_is_at_fault(slow: Slow) -> None:
    error, _ = given_up(slow, seconds=None, patience=Patience(total=0.5))
    assert (error.ending, error.cause) == (Ending.MISSING_API, "the service gave no whole answer in 0.5 s")
    assert [call.usage.output for call in error.calls] == [1000]


@pytest.mark.parametrize("schema", [None, {"type": "object"}])
@pytest.mark.parametrize("slow", ["pings"], indirect=True)
def test_a_stream_that_was_given_up_is_cut(slow: Slow, schema: Json) -> None:
    given_up(slow, seconds=0.5, schema=schema)
    assert slow.gone.wait(5), "the service could still write to it"


@pytest.mark.parametrize("slow", ["never"], indirect=True)
def test_a_call_that_was_given_up_is_not_tried_again(slow: Slow) -> None:
    given_up(
        slow, seconds=0.2, patience=Patience(timeout=0.4), then=1.5
    )  # its first try has ended by then, and the pause before a second one
    assert slow.asked == 1


@pytest.mark.parametrize("slow", ["never"], indirect=True)
def test_a_service_that_was_silent_too_long_is_at_fault_when_the_time_is_over(slow: Slow) -> None:
    error, _ = given_up(slow, seconds=0.5, patience=Patience(timeout=0.2))
    assert (error.ending, error.cause) == (Ending.MISSING_API, "the service was silent until the trial's time was over")
    assert [call.usage.output for call in error.calls] == [1000] * slow.asked


@pytest.mark.parametrize("slow", ["late"], indirect=True)
def test_an_answer_that_begins_after_its_call_was_given_up_is_cut(slow: Slow) -> None:
    given_up(slow, seconds=0.3, then=2.0)
    assert slow.gone.is_set()  # the connection is closed, or it would send pings for ever
