"""Content-addressed files below one folder: `ab/cdef...`, named by the SHA-256 of their bytes, written once, checked when read.

Files are stored as they are, so `sha256sum` and an editor are all that is needed to check one. Durable means the file
and its folder entry are synced: .8 ms for small blobs on an ordinary disk, so there is nothing to gain from batching.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from typing import TYPE_CHECKING

from harness.errors import LedgerError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class BlobStore:
    """The blobs of one ledger. Safe for many threads and processes: equal content makes equal files."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._synced: set[str] = set()  # names whose folder entry this process has seen through

    def put(self, content: bytes) -> str:
        """Store bytes and return their SHA-256 hex; durable on return.

        Raises:
            LedgerError: the folder cannot be written, or the disk is full.
        """
        name = hashlib.sha256(content).hexdigest()
        path = self._path(name)
        try:
            if not _holds(path, content):
                _write(path, content)
            elif name not in self._synced:
                _sync_folder(path.parent)  # another writer may have named it and not yet come to sync it
            self._synced.add(name)
        except OSError as error:
            raise LedgerError(f"{path}: the blob cannot be written ({error.strerror}); free space or fix the rights") from error
        return name

    def get(self, name: str) -> bytes:
        """The bytes of a blob.

        Raises:
            LedgerError: it is absent, unreadable, or its bytes are not the ones that gave it its name.
        """
        path = self._path(name)
        try:
            content = path.read_bytes()
        except OSError as error:
            raise LedgerError(f"blob {name} cannot be read: {path} ({error.strerror}); restore it from a backup") from error
        if hashlib.sha256(content).hexdigest() != name:
            raise LedgerError(f"blob {name} was changed: {path} no longer has the content it is named after; restore it")
        return content

    def names(self) -> Iterator[str]:
        """The names of all blobs on disk, sorted; unfinished files of killed processes are not blobs."""
        for folder in sorted(self._folder.glob("[0-9a-f][0-9a-f]")):
            yield from (folder.name + path.name for path in sorted(folder.iterdir()) if not path.name.startswith("."))

    def remove(self, name: str) -> int:
        """Remove a blob that no row needs any more; its size in bytes, 0 if it was not there."""
        path = self._path(name)
        try:
            size = path.stat().st_size
            path.unlink()
        except FileNotFoundError:
            return 0
        return size

    def _path(self, name: str) -> Path:
        if len(name) != 64 or set(name) - set("0123456789abcdef"):  # noqa: PLR2004  (SHA-256 in hex)
            raise LedgerError(f"{name[:80]!r} is no name of a blob; expected 64 hex digits")
        return self._folder / name[:2] / name[2:]


def _holds(path: Path, content: bytes) -> bool:
    """Whether the file stands complete; a file that a crash or a hand has damaged is written anew."""
    try:
        return path.read_bytes() == content
    except FileNotFoundError:
        return False


def _write(path: Path, content: bytes) -> None:
    if not path.parent.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        _sync_folder(path.parent.parent)
    unfinished = path.with_name(f".{path.name[:16]}.{secrets.token_hex(4)}")
    try:
        with unfinished.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
