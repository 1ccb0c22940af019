"""The rehearsal's process: one line with its address when ready, then answers until it is stopped."""

from __future__ import annotations

import argparse
import os
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

from harness.models.rehearsal.batches import Batches
from harness.models.rehearsal.messages_api import Asking, MessagesApi, RefusedError, Response, error_response
from harness.models.rehearsal.settings import Settings
from harness.models.rehearsal.table import TableReader
from harness.suites.catalog import load_suite
from harness.suites.reserve import with_reserve
from harness.task import Suite

if TYPE_CHECKING:
    from collections.abc import Sequence

NO_TASKS = Suite(id="none", version="", tasks=(), packs=(), tools=())
_BATCHES = "/v1/messages/batches"


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, port: int, api: MessagesApi, polls: int) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.api = api
        self.batches = Batches(api, polls)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1  # one write per response
    server: _Server

    def do_POST(self) -> None:
        """Answer one request."""
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        path = self.path.partition("?")[0]
        answers = {
            "/v1/messages": self.server.api.messages,
            "/v1/messages/count_tokens": self.server.api.count_tokens,
            _BATCHES: self.server.batches.create,
        }
        try:
            response = answers.get(path, _nowhere)(body, self._asking())
        except RefusedError as refused:
            response = error_response(refused)
        self._send(response)

    def do_GET(self) -> None:
        """Answer for a batch."""
        try:
            response = self.server.batches.retrieve(self.path.removeprefix(f"{_BATCHES}/"), self._asking())
        except RefusedError as refused:
            response = error_response(refused)
        self._send(response)

    def _asking(self) -> Asking:
        return Asking(
            key=self.headers.get("authorization", "").removeprefix("Bearer ") or self.headers.get("x-api-key", ""),
            attempt=int(self.headers.get("x-stainless-retry-count") or 0),
            host=self.headers.get("host", ""),
        )

    def _send(self, response: Response) -> None:
        self.send_response(response.status)
        self.send_header("content-type", response.content_type)
        self.send_header("content-length", str(len(response.body)))
        if response.request_id:
            self.send_header("request-id", response.request_id)
        if response.status >= 400:  # noqa: PLR2004
            self.send_header("retry-after-ms", "20")  # nobody gains by waiting for a fault by draw
        self.end_headers()
        if not response.pause:
            self.wfile.write(response.body)
            return
        try:
            for byte in response.body:
                self.wfile.write(bytes((byte,)))
                self.wfile.flush()
                time.sleep(response.pause)
        except OSError:
            self.close_connection = True  # nobody listens any more

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  (the base class's name)
        """Say nothing: the client keeps the records."""


def _nowhere(body: bytes, asking: Asking) -> Response:
    raise RefusedError(404, "not_found_error", f"no such path ({len(body)} bytes, try {asking.attempt + 1})")


def main(arguments: Sequence[str]) -> None:
    """Serve until killed, or with --until-stdin-closes until whoever started this is gone."""
    parser = argparse.ArgumentParser(prog="python -m harness.models.rehearsal")
    parser.add_argument("--suite", type=Path)  # without one there are no tasks to work on, only documents to read
    parser.add_argument("--reserve", type=Path)
    parser.add_argument("--table", type=Path, required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--settings", default="{}")
    parser.add_argument("--until-stdin-closes", action="store_true")
    given = parser.parse_args(arguments)
    settings = Settings.model_validate_json(given.settings)
    suite = load_suite(given.suite) if given.suite else NO_TASKS
    if given.reserve:
        suite = with_reserve(suite, load_suite(given.reserve))
    api = MessagesApi(suite, TableReader(given.table), given.seed, settings)
    server = _Server(given.port, api, settings.batch_polls)
    if given.until_stdin_closes:
        threading.Thread(target=_watch_stdin, daemon=True).start()
    sys.stdout.write(f"http://127.0.0.1:{server.server_address[1]}\n")
    sys.stdout.flush()
    server.serve_forever()


def _watch_stdin() -> None:
    sys.stdin.buffer.read()
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1:])
