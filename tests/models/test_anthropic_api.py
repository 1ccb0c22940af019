import json
import shutil
import socket
import socketserver
import ssl
import subprocess
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from harness.errors import ConfigError, KeyMissingError, ServiceUnavailableError
from harness.models.anthropic_api import AnthropicModel, Patience, connection_cause
from harness.models.prices import list_prices
from harness.models.rehearsal import Rehearsal
from harness.models.rehearsal.wire import message, says, stream
from harness.models.tag import tag_of
from harness.ports import Announce, Json, ModelRequest, TrialEndedError
from harness.rollout import Ending

TOOL: Json = {"type": "bash_20250124", "name": "bash"}
TURNS: Sequence[Json] = [{"role": "user", "content": [{"type": "text", "text": "Do it."}]}]
REQUEST = ModelRequest(
    role="coder",
    subject="adhoc/-/variant/0123/basket-discount/1",
    task="basket-discount",
    model="claude-sonnet-5-5",
    system=[{"type": "text", "text": "You work."}],
    messages=TURNS,
    max_tokens=16_000,
    tools=(TOOL,),
)


def faulty(name: str, attempts: int) -> ModelRequest:
    return replace(REQUEST, role=f"coder:{name}:{attempts}")


def in_a_hurry(base_url: str, key: str = "the key", announce: Announce | None = None) -> closing[AnthropicModel]:
    patience = Patience(timeout=5, retries=0)
    return closing(
        AnthropicModel(api_key=key, base_url=base_url, announce=announce or nobody, prices=list_prices(), patience=patience)
    )


def nobody(tag: str, role: str, subject: str, task: str) -> None:
    """Nobody is told."""


def test_a_turn_comes_back_as_blocks_that_can_be_sent_again(model: AnthropicModel) -> None:
    reply = model.send(REQUEST)
    assert (reply.stop_reason, reply.text) == ("tool_use", "I will look at the project first.")
    (said, use) = reply.content
    assert isinstance(use, dict)
    assert isinstance(said, dict)
    assert (set(said), set(use), use["name"]) == ({"type", "text"}, {"type", "id", "name", "input"}, "bash")
    result: Json = {"type": "tool_result", "tool_use_id": use["id"], "content": "CHANGELOG.md"}
    turns: Sequence[Json] = [*TURNS, {"role": "assistant", "content": reply.content}, {"role": "user", "content": [result]}]
    assert model.send(replace(REQUEST, messages=turns)).stop_reason == "tool_use"


def test_every_call_is_booked_with_its_usage_price_and_id(model: AnthropicModel) -> None:
    call = model.send(REQUEST).call
    assert (call.role, call.model, call.usage.calls, call.request_id[:4]) == ("coder", "claude-sonnet-5-5", 1, "req_")
    assert call.cost_usd == pytest.approx((call.usage.input * 2 + call.usage.output * 10) / 1_000_000)
    assert call.usage.input > 0 < call.usage.output


def test_a_model_without_a_price_costs_unknown(model: AnthropicModel) -> None:
    assert model.send(replace(REQUEST, model="rehearsal")).call.cost_usd is None


def test_the_same_call_gets_the_same_answer_and_another_repeat_its_own(model: AnthropicModel) -> None:
    other = replace(REQUEST, subject="adhoc/-/variant/0123/basket-discount/2")
    first, again, second = (model.send(request).call.request_id for request in (REQUEST, REQUEST, other))
    assert (first == again, first == second) == (True, False)


def test_one_client_serves_many_threads(model: AnthropicModel) -> None:
    requests = [replace(REQUEST, subject=f"adhoc/{number}") for number in range(24)]
    with ThreadPoolExecutor(8) as pool:
        assert {reply.stop_reason for reply in pool.map(model.send, requests)} == {"tool_use"}


def test_who_asks_is_announced_before_the_call_under_the_tag_that_is_sent(rehearsal: Rehearsal) -> None:
    told: list[tuple[str, str, str, str]] = []

    def announce(*asker: str) -> None:
        told.append((asker[0], asker[1], asker[2], asker[3]))
        rehearsal.announce(asker[0], asker[1], asker[2], asker[3])

    with in_a_hurry(rehearsal.base_url, announce=announce) as model:
        model.send(REQUEST)
    assert told == [(tag_of("coder", REQUEST.subject), "coder", REQUEST.subject, "basket-discount")]


@pytest.mark.parametrize("fault", ["rate_limited", "overloaded", "server_error", "overloaded_in_stream"])
def test_a_fault_that_passes_is_waited_out(model: AnthropicModel, fault: str) -> None:
    assert model.send(faulty(fault, 1)).stop_reason == "tool_use"


@pytest.mark.parametrize(
    ("fault", "cause"),
    [
        ("rate_limited", "429 rate_limit_error"),
        ("overloaded", "529 overloaded_error"),
        ("server_error", "500 api_error"),
        ("overloaded_in_stream", "overloaded_error"),
        ("overloaded_mid_stream", "overloaded_error"),
    ],
)
def test_a_fault_that_stays_is_missing_with_its_cause(model: AnthropicModel, fault: str, cause: str) -> None:
    with pytest.raises(TrialEndedError, match=cause) as caught:
        model.send(faulty(fault, 0))
    assert caught.value.ending == Ending.MISSING_API


def test_an_overload_after_the_answer_began_is_not_asked_again_and_what_it_had_used_is_booked(model: AnthropicModel) -> None:
    with pytest.raises(TrialEndedError) as caught:
        model.send(faulty("overloaded_mid_stream", 1))
    (call,) = caught.value.calls
    whole = model.send(REQUEST).call
    assert (call.role, call.usage.calls, call.usage.input > 0) == ("coder:overloaded_mid_stream:1", 1, True)
    assert 0 < call.usage.output <= whole.usage.output + 10
    assert call.cost_usd == pytest.approx((call.usage.input * 2 + call.usage.output * 10) / 1_000_000)


def test_a_fault_before_the_answer_began_costs_nothing(model: AnthropicModel) -> None:
    with pytest.raises(TrialEndedError) as caught:
        model.send(faulty("overloaded_in_stream", 0))
    assert caught.value.calls == ()
    assert model.send(faulty("overloaded_in_stream", 1)).call.usage.calls == 1


def test_a_refusal_is_an_answer_with_that_stop_reason_and_is_booked(model: AnthropicModel) -> None:
    reply = model.send(faulty("refused", 0))
    assert (reply.stop_reason, reply.content, reply.call.usage.calls) == ("refusal", (), 1)


@pytest.mark.parametrize(("fault", "stop"), [("cut_off", "max_tokens"), ("malformed", "end_turn")])
def test_a_structured_answer_that_is_no_json_comes_back_as_it_is(model: AnthropicModel, fault: str, stop: str) -> None:
    schema: Json = {"type": "object", "properties": {}, "additionalProperties": False}
    reply = model.send(replace(faulty(fault, 0), schema=schema, effort="low", max_tokens=900))
    assert reply.stop_reason == stop
    with pytest.raises(json.JSONDecodeError):
        json.loads(reply.text)


def test_without_a_key_nothing_is_made() -> None:
    with pytest.raises(KeyMissingError, match="ANTHROPIC_API_KEY"):
        in_a_hurry("http://127.0.0.1:9", key="")


def test_a_refused_key_is_a_set_up_error(rehearsal: Rehearsal) -> None:
    with in_a_hurry(rehearsal.base_url, key="another key") as model, pytest.raises(KeyMissingError, match="refuses the key"):
        model.send(REQUEST)


def test_an_unknown_model_is_named(model: AnthropicModel) -> None:
    with pytest.raises(ConfigError, match="'claude-next-9'"):
        model.send(replace(REQUEST, model="claude-next-9"))


def test_a_request_that_can_never_work_is_a_set_up_error(rehearsal: Rehearsal) -> None:
    with in_a_hurry(rehearsal.base_url) as model, pytest.raises(ServiceUnavailableError, match="unknown tag"):
        model.send(replace(REQUEST, subject="never announced"))


def test_nobody_at_the_address_is_missing() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    with in_a_hurry(f"http://127.0.0.1:{port}") as model, pytest.raises(TrialEndedError, match="refused"):
        model.send(REQUEST)


class Silence(socketserver.BaseRequestHandler):
    """A service that takes what is sent and says nothing."""

    def handle(self) -> None:
        """Read until the other side has had enough."""
        while self.request.recv(65536):
            pass


@pytest.mark.parametrize("schema", [None, {"type": "object"}])
def test_a_request_of_which_nothing_is_heard_is_booked_at_the_most_for_each_try(schema: Json) -> None:
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Silence) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        where = f"http://127.0.0.1:{server.server_address[1]}"
        patience = Patience(timeout=0.3, retries=1)
        model = AnthropicModel(api_key="k", base_url=where, announce=nobody, prices=list_prices(), patience=patience)
        with closing(model), pytest.raises(TrialEndedError) as error:
            model.send(replace(REQUEST, schema=schema))
        server.shutdown()
    assert error.value.ending is Ending.MISSING_API
    assert [call.usage.output for call in error.value.calls] == [REQUEST.max_tokens] * 2
    assert all((call.cost_usd or 0.0) > 0.1 for call in error.value.calls)


def test_a_certificate_problem_is_called_one() -> None:
    outer = OSError("Connection error.")
    outer.__cause__ = ssl.SSLCertVerificationError(1, "[SSL: CERTIFICATE_VERIFY_FAILED] self-signed certificate")
    assert connection_cause(outer) == (
        "OSError: [SSL: CERTIFICATE_VERIFY_FAILED] self-signed certificate; "
        "set SSL_CERT_FILE to the certificate of the authority that your network uses"
    )


class Answers(BaseHTTPRequestHandler):
    """A service that gives one structured answer."""

    def do_POST(self) -> None:
        """Read what was asked and answer."""
        self.rfile.read(int(self.headers["content-length"]))
        answer = says("{}")
        body = b"".join(stream(message(answer, "m", "m", {"input_tokens": 1, "output_tokens": 1}, None), answer))
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Silence."""


@pytest.fixture
def private(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """A service under a certificate that only this test knows, and the certificate's file."""
    key, certificate = tmp_path / "key.pem", tmp_path / "root.pem"
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    made += ["-addext", "subjectAltName=DNS:localhost", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(made, check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with HTTPServer(("127.0.0.1", 0), Answers) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"https://localhost:{server.server_port}", certificate
        server.shutdown()
        thread.join()


@pytest.mark.skipif(not shutil.which("openssl"), reason="makes the certificate")
def test_a_certificate_of_the_networks_own_is_trusted_where_the_environment_names_it(
    private: tuple[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    address, certificate = private
    asked = replace(REQUEST, schema={"type": "object"})
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    with in_a_hurry(address) as model, pytest.raises(ServiceUnavailableError, match=r"CERTIFICATE_VERIFY_FAILED.*SSL_CERT_FILE"):
        model.send(asked)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with in_a_hurry(address) as model:
        assert model.send(asked).text == "{}"
