"""The relay's sockets: one a trial, in a folder of its own that the trial's container sees read-only.

The container's side has no key, and cannot get one: it is added here, on the way to the service. Answers go back byte by byte
as they come; what passed is kept, metered and held against the trial's limits before the next request goes on.
"""

from __future__ import annotations

import json
import math
import shutil
import socketserver
import tempfile
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import TYPE_CHECKING

from harness.models.anthropic_api import connection_cause
from harness.models.relay.meter import read
from harness.models.relay.rules import COUNT_TOKENS, LARGEST, Passed, RefusedError, passed
from harness.models.tag import tag_of
from harness.models.usage import cache_miss
from harness.ports import Exchange, Mounted
from harness.rollout import Call, Usage
from harness.spending import Spending, most

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import httpx2

    from harness.ports import Announce, Assignment, Price

ROLE = "coder"
INSIDE = "/run/harness"
SOCKET = "relay.sock"
IN_FLIGHT = 4
KEPT_REFUSALS = 100
SETTLE_SECONDS = 5.0
TIMEOUT = 300.0  # seconds without a byte from the service before a request is given up
RETRY = "x-stainless-retry-count"  # the SDK's own header
_SENT_ON = ("content-type", "accept", "user-agent", "anthropic-version", "anthropic-beta", "x-app", RETRY)
_SENT_BACK = ("content-type", "request-id", "retry-after", "retry-after-ms", "x-should-retry")


@dataclass(frozen=True, slots=True, kw_only=True)
class Upstream:
    """The service behind the relay: its key and address, the models that may be asked, and the longest silence in seconds."""

    api_key: str = field(repr=False)
    base_url: str
    models: frozenset[str]
    timeout: float = TIMEOUT


class Relay:
    """`ports.Relay`: passes requests on to one service, with the key."""

    def __init__(self, upstream: Upstream, announce: Announce, price: Price) -> None:
        import httpx2  # noqa: PLC0415  (the SDK's transport: proxies and certificates as the SDK has them)

        self._folder = Path(tempfile.mkdtemp(prefix="harness-relay-"))  # short: a socket's path holds 107 bytes
        self._client = httpx2.Client(timeout=upstream.timeout, headers={"authorization": f"Bearer {upstream.api_key}"})
        self._base_url = upstream.base_url.rstrip("/")
        self._announce = announce
        self._count = 0
        self._lock = threading.Lock()
        self.models = upstream.models
        self.price = price

    @contextmanager
    def open(self, work: Assignment) -> Iterator[RelayLine]:
        """A line for one trial, closed on leaving."""
        tag = tag_of(ROLE, str(work.key))
        self._announce(tag, ROLE, str(work.key), work.task.id)
        with self._lock:
            self._count += 1
            folder = self._folder / str(self._count)
        line = RelayLine(self, folder, tag, work)
        try:
            yield line
        finally:
            line.close()

    def stream(self, request: Passed, headers: Mapping[str, str]) -> httpx2.Response:
        """Send a request on; the response is open, nothing of it is read. Raises httpx2.HTTPError."""
        sent = {name: headers[name] for name in _SENT_ON if name in headers} | {"accept-encoding": "identity"}
        url = f"{self._base_url}{request.path}"
        return self._client.send(self._client.build_request("POST", url, content=request.body, headers=sent), stream=True)

    def close(self) -> None:
        """Close idle connections and remove the sockets' folder."""
        self._client.close()
        shutil.rmtree(self._folder, ignore_errors=True)


class RelayLine:
    """`ports.Line`: the socket of one trial and the record of what passed."""

    def __init__(self, relay: Relay, folder: Path, tag: str, work: Assignment) -> None:
        folder.mkdir(mode=0o755)
        self.relay = relay
        self.tag = tag
        self.mounts = (Mounted(source=str(folder), target=INSIDE),)
        self.spending = Spending(work.limits, math.inf, time.monotonic)  # the agent keeps the time
        self.seats = threading.Semaphore(IN_FLIGHT)
        self._exchanges: list[Exchange] = []
        self._refusals = 0
        self._open = 0
        self._finished = False
        self._settled = threading.Condition()
        self._server = _Server(str(folder / SOCKET), self)
        (folder / SOCKET).chmod(0o666)  # the container's user is another; only this trial's container sees the folder
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self._thread.start()

    @property
    def finished(self) -> bool:
        """Whether nothing more may pass."""
        return self._finished

    def tries(self, body: bytes) -> int:
        """How often this very request was sent on before and met a fault: programs that try again do not say that they do."""
        with self._settled:
            return sum(exchange.body == body and bool(exchange.fault) for exchange in self._exchanges)

    def begin(self, body: bytes, call: Call) -> int:
        """A place in the record for a request that goes on; `call` is what it counts as, should no answer ever come.

        Raises:
            RefusedError: the trial's agent has ended.
        """
        with self._settled:
            if self._finished:
                raise RefusedError(403, "the trial is over")
            self._open += 1
            self._exchanges.append(Exchange(body=body, call=call, fault="no answer had come when the trial ended"))
            return len(self._exchanges) - 1

    def end(self, place: int, exchange: Exchange) -> None:
        """Fill a place of the record."""
        with self._settled:
            self._exchanges[place] = exchange
            self._open -= 1
            self._settled.notify_all()

    def refused(self, exchange: Exchange) -> None:
        """Keep a request that was not passed on; of very many only the first."""
        with self._settled:
            self._refusals += 1
            if self._refusals <= KEPT_REFUSALS and not self._finished:
                self._exchanges.append(exchange)

    def finish(self) -> tuple[Exchange, ...]:
        """Pass nothing more; what is under way is cut, and booked as far as it came."""
        with self._settled:
            self._finished = True
            self._settled.wait_for(lambda: not self._open, SETTLE_SECONDS)
            return tuple(self._exchanges)

    def close(self) -> None:
        """Remove the socket."""
        self.finish()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self, path: str, line: RelayLine) -> None:
        self.line = line
        super().__init__(path, _Handler)

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: the program hung up, or sent what is no HTTP; what had passed is recorded."""


@dataclass(slots=True)
class _Heard:
    """One response as it comes in."""

    status: int = 0
    kind: str = ""
    request_id: str = ""
    body: bytearray = field(default_factory=bytearray)
    torn: str = ""

    def begin(self, status: int, headers: Mapping[str, str]) -> None:
        """Take the response's head."""
        self.status, self.kind = status, headers.get("content-type", "")
        self.request_id = headers.get("request-id", "")

    def exchange(self, request: Passed, price: Price) -> Exchange:
        """The record of the request that this answers."""
        if not self.status:
            return Exchange(body=request.body, fault=self.torn or "no answer")
        answered = read(self.status, self.kind, bytes(self.body))
        call = None
        if answered.message is not None:
            billed = answered.usage or Usage(calls=1)
            cost = price(request.model, billed)
            call = Call(
                role=ROLE,
                model=request.model,
                usage=billed,
                cost_usd=cost,
                request_id=self.request_id,
                cache_miss=cache_miss(answered.diagnostics),
            )
        fault = self.torn or answered.fault
        return Exchange(body=request.body, status=self.status, message=answered.message, call=call, fault=fault)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = TIMEOUT
    server: _Server

    def do_POST(self) -> None:
        """Pass one request on, or refuse it."""
        line = self.server.line
        body = b""
        try:
            body = self._body()
            request = passed(self.path, body, line.relay.models, line.tag)
            with line.seats:
                if self.path.partition("?")[0] == COUNT_TOKENS:
                    self._counted(request)
                else:
                    self._metered(request)
        except RefusedError as error:
            line.refused(Exchange(body=body[:1000], refused=error.why))
            self._answer(error.status, error.why)

    def do_GET(self) -> None:
        """Refuse."""
        self.server.line.refused(Exchange(body=b"", refused=f"no way to {self.command} {self.path[:200]}"))
        self._answer(404, "only POST /v1/messages and /v1/messages/count_tokens are passed on")

    do_PUT = do_DELETE = do_PATCH = do_OPTIONS = do_HEAD = do_CONNECT = do_GET  # noqa: N815  (the base class's names)

    def _body(self) -> bytes:
        length = self.headers.get("content-length", "")
        if not length.isdigit():
            self.close_connection = True
            raise RefusedError(411, "a request needs a content-length")
        if int(length) > LARGEST:
            self.close_connection = True
            raise RefusedError(413, f"a request of {length} bytes is too large")
        return self.rfile.read(int(length))

    def _metered(self, request: Passed) -> None:
        """One call: reserved, passed on, kept and booked, whatever happens on the way."""
        line = self.server.line
        worst = most(line.relay.price, request.model, len(request.body), request.max_tokens)
        if over := line.spending.reserve(worst):
            line.refused(Exchange(body=request.body, refused=over[1], ending=over[0]))
            self._answer(403, f"this trial's limit is reached: {over[1]}")
            return
        try:
            tries = line.tries(request.body)
            unanswered = Call(role=ROLE, model=request.model, usage=Usage(calls=1), cost_usd=worst)
            place = line.begin(request.body, unanswered)
        except RefusedError:
            line.spending.cancel(worst)
            raise
        exchange = Exchange(body=request.body, fault="the program hung up")
        try:
            exchange = self._passed_on(request, tries)
        finally:
            if exchange.call is None:
                line.spending.cancel(worst)
            else:
                line.spending.book(exchange.call, worst)
            line.end(place, exchange)

    def _passed_on(self, request: Passed, tries: int) -> Exchange:
        import httpx2  # noqa: PLC0415  (loaded by the relay already)

        heard = _Heard()
        try:
            response = self.server.line.relay.stream(request, self._sent() | {RETRY: str(tries)})
            try:
                heard.begin(response.status_code, response.headers)
                self._begin(response.status_code, response.headers)
                for chunk in response.iter_raw():
                    heard.body += chunk
                    self._chunk(chunk)
                    if self.server.line.finished:
                        break
                else:
                    self._chunk(b"")
            finally:
                response.close()
        except httpx2.HTTPError as error:
            heard.torn = connection_cause(error)
            self._torn(heard.status, heard.torn)
        except OSError:
            self.close_connection = True  # the program hung up; what came is booked all the same
        return heard.exchange(request, self.server.line.relay.price)

    def _counted(self, request: Passed) -> None:
        """A question for a prompt's length: passed on, free, and not part of the record."""
        import httpx2  # noqa: PLC0415  (loaded by the relay already)

        if self.server.line.finished:
            raise RefusedError(403, "the trial is over")
        try:
            response = self.server.line.relay.stream(request, self._sent())
            try:
                content = response.read()
            finally:
                response.close()
        except httpx2.HTTPError as error:
            self._torn(0, connection_cause(error))
            return
        self._begin(response.status_code, response.headers)
        self._chunk(content)
        self._chunk(b"")

    def _sent(self) -> dict[str, str]:
        return {name.lower(): value for name, value in self.headers.items()}

    def _begin(self, status: int, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name in _SENT_BACK:
            if name in headers:
                self.send_header(name, headers[name])
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def _torn(self, status: int, why: str) -> None:
        """The service could not be reached, or broke off: an error where nothing was said yet, else the end of the line."""
        self.close_connection = True
        if not status:
            self._answer(502, why, "api_error")

    def _answer(self, status: int, why: str, kind: str = "invalid_request_error") -> None:
        body = json.dumps({"type": "error", "error": {"type": kind, "message": f"relay: {why}"}}).encode()
        try:
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)
        except OSError:
            self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  (the base class's name)
        """Say nothing: the line keeps the records."""
