from __future__ import annotations

import io
import socket
import struct
import threading
import time
from typing import TYPE_CHECKING

import pytest

from harness.sandbox.channel import Channel, ClosedError, MalformedError, Message
from harness.sandbox.inside.wire import Capped, lay, packed, receive

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def ends() -> Iterator[tuple[Channel, socket.socket]]:
    """A channel, and the engine's end of it."""
    ours, theirs = socket.socketpair()
    yield Channel(ours), theirs
    ours.close()
    theirs.close()


def framed(payload: bytes, stream: int = 1) -> bytes:
    """One frame as the engine sends it."""
    return struct.pack(">BxxxL", stream, len(payload)) + payload


def test_messages_survive_any_cut_and_errors_are_kept_apart(ends: tuple[Channel, socket.socket]) -> None:
    channel, engine = ends
    data = packed({"a": 1}, b"body") + packed({"b": "é"})
    stream = b"".join(framed(bytes([byte])) + framed(b"!", 2) for byte in data)
    thread = threading.Thread(target=engine.sendall, args=(stream,))
    thread.start()
    assert channel.receive(seconds=5) == Message(head={"a": 1}, body=b"body")
    assert channel.receive(seconds=5) == Message(head={"b": "é"}, body=b"")
    thread.join()
    assert set(channel.log) == {"!"}


def test_silence_and_the_end_are_told_apart_and_in_time(ends: tuple[Channel, socket.socket]) -> None:
    channel, engine = ends
    started = time.monotonic()
    with pytest.raises(TimeoutError):
        channel.receive(seconds=0.1)
    assert time.monotonic() - started < 2
    engine.close()
    with pytest.raises(ClosedError):
        channel.receive(seconds=5)


@pytest.mark.parametrize("said", [b"x" * 70, b"1 -1\n", b"99999999999 0\n", b"0 999999999\n", b"3 0\nabc", b"1 2 3\n"])
def test_what_is_no_message_is_malformed(ends: tuple[Channel, socket.socket], said: bytes) -> None:
    channel, engine = ends
    engine.sendall(framed(said))
    with pytest.raises(MalformedError):
        channel.receive(seconds=2)


def test_a_message_sent_is_the_message_received(ends: tuple[Channel, socket.socket]) -> None:
    channel, engine = ends
    channel.send({"do": "run", "argv": ["caf\udce5"]}, b"\0\xff", seconds=2)
    channel.close()
    with engine.makefile("rb") as stream:
        assert receive(stream) == ({"do": "run", "argv": ["caf\udce5"]}, b"\0\xff")
        assert receive(stream) is None


def test_sending_to_a_side_that_does_not_read_ends_at_the_limit(ends: tuple[Channel, socket.socket]) -> None:
    with pytest.raises(TimeoutError):
        ends[0].send({}, bytes(20_000_000), seconds=0.2)


def test_capped_output_keeps_both_ends_and_counts_all() -> None:
    store = Capped(4, 4)
    for byte in b"0123456789abcdef":
        store.add(bytes([byte]))
    assert (store.value(), store.count, store.truncated) == (b"0123\n[... 8 bytes left out ...]\ncdef", 16, True)
    whole = Capped(4, 4)
    whole.add(b"01234567")
    assert (whole.value(), whole.truncated) == (b"01234567", False)


def test_files_are_laid_with_modes_and_odd_names(tmp_path: Path) -> None:
    lay(str(tmp_path), [("a/b/caf\udce5", 0o100644, 1, 2), ("run", 0o100755, 0, 1)], b"#xy")
    assert next((tmp_path / "a/b").iterdir()).read_bytes() == b"xy"
    assert (tmp_path / "run").stat().st_mode & 0o777 == 0o755
    with pytest.raises(FileExistsError):
        lay(str(tmp_path), [("run", 0o100644, 0, 1)], b"#")


def test_a_stream_that_ends_is_none() -> None:
    assert receive(io.BytesIO(b"")) is None
