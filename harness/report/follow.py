"""A live page during a run: a small server on this machine alone that renders the ledger anew when it has grown.

It reads and never writes. The page itself may load nothing (its content security policy), so the browser is told to come back
by a header.
"""

from __future__ import annotations

from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import TYPE_CHECKING

from harness.errors import HarnessError, InputError
from harness.printable import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

HERE = "127.0.0.1"
AGAIN_SECONDS = 10
# A page of another site whose name was turned to this machine's address must not read the ledger through the browser.
_NAMES = {HERE, "localhost"}


class Live:
    """The page, rendered again only when the ledger's head has moved. `render` gives the page, `head` what it stands for."""

    def __init__(self, head: Callable[[], str], render: Callable[[], str]) -> None:
        self._head, self._render = head, render
        self._lock = Lock()
        self._shown: tuple[str, bytes] = ("", b"")

    def page(self) -> tuple[str, bytes]:
        """(head, the page's bytes).

        Raises:
            HarnessError: the ledger cannot be read.
        """
        with self._lock:
            if (head := self._head()) != self._shown[0]:
                self._shown = (head, self._render().encode())
            return self._shown


@contextmanager
def served(live: Live, port: int) -> Iterator[str]:
    """Serve the page until the block ends; yields its address. Port 0 takes a free one.

    Raises:
        InputError: the port cannot be had.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            name = self.headers.get("Host", "").rpartition(":")[0] or self.headers.get("Host", "")
            if name not in _NAMES or self.path != "/":
                self.send_error(HTTPStatus.NOT_FOUND)
                return
            try:
                head, body = live.page()
            except HarnessError as error:
                self.send_error(HTTPStatus.SERVICE_UNAVAILABLE, explain=printable(str(error), lines=False))
                return
            if self.headers.get("If-None-Match") == f'"{head}"':
                self.send_response(HTTPStatus.NOT_MODIFIED)
                self._end(head)
                return
            self.send_response(HTTPStatus.OK)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self._end(head)
            self.wfile.write(body)

        def _end(self, head: str) -> None:
            self.send_header("Refresh", str(AGAIN_SECONDS))
            self.send_header("ETag", f'"{head}"')
            self.send_header("Cache-Control", "no-cache")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Nothing: the terminal is the user's."""

    try:
        server = ThreadingHTTPServer((HERE, port), Handler)
    except OSError as error:
        raise InputError(f"--port {port}: cannot be had ({error.strerror}); choose another, or 0 for a free one") from error
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://{HERE}:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
