"""The rehearsal's process: one line with its address when ready, then answers until it is stopped."""

from __future__ import annotations

import argparse
import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

from harness.models.rehearsal.messages_api import Asking, MessagesApi, RefusedError, Response, error_response
from harness.models.rehearsal.settings import Settings
from harness.models.rehearsal.table import TableReader
from harness.suites.catalog import load_suite

if TYPE_CHECKING:
    from collections.abc import Sequence


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, port: int, api: MessagesApi) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.api = api


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1  # one write per response
    server: _Server

    def do_POST(self) -> None:
        """Answer one request."""
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        try:
            response = self._answered(body)
        except RefusedError as refused:
            response = error_response(refused)
        self._send(response)

    def _answered(self, body: bytes) -> Response:
        path = self.path.partition("?")[0]
        key = self.headers.get("authorization", "").removeprefix("Bearer ") or self.headers.get("x-api-key", "")
        asking = Asking(key=key, attempt=int(self.headers.get("x-stainless-retry-count") or 0))
        if path == "/v1/messages":
            return self.server.api.messages(body, asking)
        if path == "/v1/messages/count_tokens":
            return self.server.api.count_tokens(body, asking)
        raise RefusedError(404, "not_found_error", f"no such path: {path}")

    def _send(self, response: Response) -> None:
        self.send_response(response.status)
        self.send_header("content-type", response.content_type)
        self.send_header("content-length", str(len(response.body)))
        if response.request_id:
            self.send_header("request-id", response.request_id)
        if response.status >= 400:  # noqa: PLR2004
            self.send_header("retry-after-ms", "20")  # nobody gains by waiting for a fault by draw
        self.end_headers()
        self.wfile.write(response.body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  (the base class's name)
        """Say nothing: the client keeps the records."""


def main(arguments: Sequence[str]) -> None:
    """Serve until killed, or with --until-stdin-closes until whoever started this is gone."""
    parser = argparse.ArgumentParser(prog="python -m harness.models.rehearsal")
    parser.add_argument("--suite", type=Path, required=True)
    parser.add_argument("--table", type=Path, required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--settings", default="{}")
    parser.add_argument("--until-stdin-closes", action="store_true")
    given = parser.parse_args(arguments)
    settings = Settings.model_validate_json(given.settings)
    api = MessagesApi(load_suite(given.suite), TableReader(given.table), given.seed, settings)
    server = _Server(given.port, api)
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
