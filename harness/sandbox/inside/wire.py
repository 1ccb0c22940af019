"""The wire between the harness and a container: messages of one JSON head and one body, files laid from them, capped output.

A message is a line with the sizes of head and body, then the head as ASCII JSON, then the body. Used on both sides.
"""

# ruff: noqa: PTH103, PTH118, PTH120, PTH123  (names are bytes here; starting a container should not import pathlib)

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing import BinaryIO

HEAD = 128 * 1024
TAIL = 128 * 1024


class Capped:
    """A store for output of any length: the first and last bytes are kept, all are counted."""

    def __init__(self, head: int = HEAD, tail: int = TAIL) -> None:
        self._limits = (head, tail)
        self._head = bytearray()
        self._tail = bytearray()
        self.count = 0

    def add(self, data: bytes) -> None:
        """Take more output."""
        head, tail = self._limits
        self.count += len(data)
        room = head - len(self._head)
        self._head += data[:room]
        self._tail += data[room:] if room > 0 else data
        if len(self._tail) > 2 * tail:
            del self._tail[:-tail]

    @property
    def truncated(self) -> bool:
        """Whether anything is left out."""
        return self.count > sum(self._limits)

    def value(self) -> bytes:
        """The output; where bytes are left out, a line between head and tail says how many."""
        if not self.truncated:
            return bytes(self._head + self._tail)
        left_out = self.count - sum(self._limits)
        return bytes(self._head) + b"\n[... %d bytes left out ...]\n" % left_out + bytes(self._tail[-self._limits[1] :])


def packed(head: dict[str, Any], body: bytes = b"") -> bytes:
    """One message as bytes."""
    text = json.dumps(head).encode("ascii")
    return b"%d %d\n" % (len(text), len(body)) + text + body


def receive(stream: BinaryIO, longest: int | None = None) -> tuple[dict[str, Any], bytes] | None:
    """The next message of a blocking stream, or None at its end.

    Raises:
        ValueError: it is none, or longer than `longest`, for a stream that is not to be trusted.
    """
    line = stream.readline() if longest is None else stream.readline(64)
    if not line:
        return None
    head, body = (int(size) for size in line.split())
    if longest is not None and not (0 <= head <= longest and 0 <= body <= longest):
        raise ValueError(f"a message of {head} + {body} bytes")
    return json.loads(stream.read(head)), stream.read(body)


def write_all(descriptor: int, data: bytes) -> None:
    """Write everything to a blocking descriptor."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def lay(root: str, listing: list[tuple[str, int, int, int]], body: bytes) -> None:
    """Write files below `root`: (path, mode, offset in body, size) each; folders are made as needed."""
    made = {os.fsencode(root)}
    for path, mode, offset, size in listing:
        name = os.fsencode(os.path.join(root, path))
        folder = os.path.dirname(name)
        if folder not in made:
            os.makedirs(folder, exist_ok=True)
            made.add(folder)
        descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode & 0o777)
        write_all(descriptor, body[offset : offset + size])
        os.close(descriptor)


def out_of_memory_kills() -> int:
    """How many processes of this container the kernel has killed for memory (cgroup v2, then v1); 0 where unreadable."""
    for counter in ("/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control"):
        try:
            with open(counter, encoding="ascii") as lines:
                return sum(int(line.split()[1]) for line in lines if line.startswith("oom_kill "))
        except (OSError, ValueError, IndexError):
            continue
    return 0


def first_to_be_killed(pid: int | str = "self") -> None:
    """Make the kernel choose this process first when memory runs out, so that whoever reports survives."""
    try:
        with open(f"/proc/{pid}/oom_score_adj", "w", encoding="ascii") as score:
            score.write("1000")
    except OSError:
        pass  # it has ended already, or the host forbids it; the report then says that the container ended
