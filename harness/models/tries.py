"""The tries of one call, and their end when its time is over: whatever the SDK is waiting for, nothing is waited for longer.

The call runs in a thread of its own. Given up, it makes no further try, and the stream that it reads is cut; a try of which
nothing was heard yet ends by itself, or is cut when its answer begins, in a thread that nobody waits for.
"""

from __future__ import annotations

import socket
import threading
from concurrent.futures import Future
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from harness.models.usage import unanswered, used

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from anthropic import APIResponse
    from anthropic.lib.streaming import MessageStream
    from anthropic.types import Message

    from harness.rollout import Usage

T = TypeVar("T")


class Tries:
    """What the tries of one call came to; as the SDK's middleware it sees each of them begin.

    `spent` is what those charge for that gave no answer, `silent` how many ended without a byte in all the client's patience.
    """

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        self.spent: list[Usage] = []
        self.silent = 0
        self.seen: Message | None = None
        self._parameters = parameters
        self._open = self._over = False
        self._stream: MessageStream[Any] | None = None
        self._lock = threading.Lock()

    def __call__(self, request: Any, call_next: Callable[[Any], APIResponse[Any]]) -> APIResponse[Any]:  # noqa: ANN401
        """One try, up to the beginning of its answer."""
        import anthropic  # noqa: PLC0415  (already loaded by the client)
        import httpx2  # noqa: PLC0415  (the SDK's transport)

        if self._over:
            raise TimeoutError
        self._open, self.seen = True, None
        try:
            response = call_next(request)
        except anthropic.APIConnectionError as error:
            silent = isinstance(error.__cause__, httpx2.ReadTimeout)
            self.silent += silent
            self._ended(unanswered(self._parameters) if silent else None)
            raise
        self._open = response.http_response.is_success
        return response

    def reads(self, stream: MessageStream[Any]) -> None:
        """A try's answer begins to come as this stream."""
        with self._lock:
            self._stream = stream
            if self._over:
                _cut(stream)

    def broke(self) -> None:
        """The answer broke off."""
        self._ended(used(self.seen) if self.seen else None)

    def within(self, seconds: float, work: Callable[[], T]) -> T:
        """What the work returns or raises, unless that takes longer.

        Raises:
            TimeoutError: the seconds are over; what the try under way may have used is among what is spent.
        """
        done: Future[T] = Future()
        threading.Thread(target=_settle, args=(done, work), daemon=True).start()
        try:
            return done.result(seconds)
        except TimeoutError:
            self._give_up()
            raise

    def _ended(self, usage: Usage | None) -> None:
        with self._lock:
            if usage is not None and not self._over:
                self.spent.append(usage)
            self._open = False

    def _give_up(self) -> None:
        with self._lock:
            self._over = True
            if self._open:
                self.spent.append(used(self.seen) if self.seen else unanswered(self._parameters))
            if self._stream is not None:
                _cut(self._stream)


def _cut(stream: MessageStream[Any]) -> None:
    with suppress(OSError):  # it may have ended this very moment
        connection = stream.response.extensions["network_stream"].get_extra_info("socket")
        socket.socket.shutdown(connection, socket.SHUT_RDWR)  # wakes its reader; closing would not


def _settle(done: Future[T], work: Callable[[], T]) -> None:
    try:
        done.set_result(work())
    except BaseException as error:  # noqa: BLE001  (raised again by whoever waits)
        done.set_exception(error)
