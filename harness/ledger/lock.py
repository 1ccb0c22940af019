"""The writer's lock: one process writes a ledger at a time, and a second one is told who holds it.

The lock is the kernel's (`flock`), so it goes with its process, however that ends; the file's text only names the holder.
"""

from __future__ import annotations

import fcntl
import os
import socket
from contextlib import contextmanager
from typing import TYPE_CHECKING

from harness.errors import UnavailableError
from harness.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def writer_lock(path: Path, since: str) -> Iterator[None]:
    """Hold the lock file for the duration of the block; a file left behind by a dead process is taken over.

    Raises:
        UnavailableError: another living process holds it; names its pid, host and start.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        _take(descriptor, path)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"pid {os.getpid()} on {socket.gethostname()} since {since}\n".encode(), 0)
        yield
        os.ftruncate(descriptor, 0)
    finally:
        os.close(descriptor)


def _take(descriptor: int, path: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        holder = printable(os.pread(descriptor, 200, 0).decode("utf-8", "replace").strip(), lines=False)
        raise UnavailableError(
            f"{path}: another harness process writes this ledger ({holder or 'it just started'}); wait for its end, or stop it"
        ) from error
