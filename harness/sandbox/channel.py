"""Messages to and from one container's process over its attached streams, with a deadline on every call.

The attachment is made before the container starts, so that nothing said early is lost. What the process writes to its error
stream is kept, capped, for the person who reads a failure.
"""

from __future__ import annotations

import json
import socket
import struct
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from harness.sandbox.inside.wire import Capped, packed

if TYPE_CHECKING:
    from harness.ports import Json

FRAME = struct.Struct(">BxxxL")
STDOUT = 1
LONGEST_HEAD = 1024 * 1024
LONGEST_BODY = 32 * 1024 * 1024
LONGEST_LINE = 64


class ClosedError(Exception):
    """The other side has ended."""


class MalformedError(Exception):
    """The other side sent something that is no message."""


class Wire(Protocol):
    """The part of a socket that a channel needs; plain and TLS sockets have it."""

    def settimeout(self, value: float | None, /) -> None:
        """Set the longest wait."""

    def recv(self, bufsize: int, /) -> bytes:
        """Receive."""
        ...

    def sendall(self, data: bytes, /) -> None:
        """Send."""

    def close(self) -> None:
        """Close."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message: its head, not yet validated, and its body."""

    head: Json
    body: bytes


class Channel:
    """One container's streams. Not for use by two threads at once."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._raw = bytearray()
        self._said = bytearray()
        self._log = Capped(4096, 12288)

    @property
    def log(self) -> str:
        """What the process wrote to its error stream, head and tail."""
        return self._log.value().decode("utf-8", "replace")

    def send(self, head: dict[str, Json], body: bytes = b"", *, seconds: float) -> None:
        """Send one message. Raises ClosedError, or TimeoutError when the other side does not read."""
        self._wire.settimeout(max(seconds, 0.001))
        try:
            self._wire.sendall(packed(head, body))
        except (BrokenPipeError, ConnectionError) as error:
            raise ClosedError from error

    def receive(self, *, seconds: float) -> Message:
        """The next message. Raises ClosedError, MalformedError or, after `seconds`, TimeoutError."""
        deadline = time.monotonic() + seconds
        while b"\n" not in self._said[:LONGEST_LINE]:
            if len(self._said) >= LONGEST_LINE:
                raise MalformedError("no message length")
            self._more(deadline)
        line, _, _ = bytes(self._said[:LONGEST_LINE]).partition(b"\n")
        head, body = _sizes(line)
        start = len(line) + 1
        while len(self._said) < start + head + body:
            self._more(deadline)
        found = bytes(self._said[start : start + head + body])
        del self._said[: start + head + body]
        try:
            return Message(head=json.loads(found[:head]), body=found[head:])
        except ValueError as error:
            raise MalformedError("the message's head is not JSON") from error

    def close(self) -> None:
        """Close the streams; the process inside sees the end of its input."""
        self._wire.close()

    def _more(self, deadline: float) -> None:
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._wire.settimeout(left)
        try:
            data = self._wire.recv(262144)
        except (ConnectionError, socket.herror) as error:
            raise ClosedError from error
        if not data:
            raise ClosedError
        self._raw += data
        self._unframe()

    def _unframe(self) -> None:
        position = 0
        while len(self._raw) - position >= FRAME.size:
            stream, length = FRAME.unpack_from(self._raw, position)
            end = position + FRAME.size + length
            if len(self._raw) < end:
                break
            payload = self._raw[position + FRAME.size : end]
            if stream == STDOUT:
                self._said += payload
            else:
                self._log.add(bytes(payload))
            position = end
        del self._raw[:position]


def _sizes(line: bytes) -> tuple[int, int]:
    try:
        head, body = (int(part) for part in line.split(b" "))
    except ValueError as error:
        raise MalformedError("no message length") from error
    if not (0 <= head <= LONGEST_HEAD and 0 <= body <= LONGEST_BODY):
        raise MalformedError(f"a message of {head} + {body} bytes")
    return head, body
