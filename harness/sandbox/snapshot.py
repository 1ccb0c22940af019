"""Take-out: the workspace's tar stream, read as it flows, into a tree of regular files and a list of what was refused.

Nothing is written to the host's disk, and the agent's own `.git` is never opened. Names are bytes, kept as surrogates.
"""

from __future__ import annotations

import io
import tarfile
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.tree import EXECUTABLE, REGULAR, File, Tree

if TYPE_CHECKING:
    from collections.abc import Iterator

    from _typeshed import WriteableBuffer

MOST_BYTES = 192 * 1024 * 1024
MOST_ENTRIES = 50_000
STICKY = 0o1000
GENERATED = frozenset({"__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis"})
COMPILED = (".pyc", ".pyo", ".pyd", ".so")


class TooLargeError(Exception):
    """The workspace holds more bytes or entries than are taken out."""


class StaleError(Exception):
    """The engine served another folder than the live workspace: our fault, not the agent's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """Regular files of the workspace, generated ones left out, and what was refused, each with its reason."""

    tree: Tree
    refused: tuple[str, ...]


def snapshot(chunks: Iterator[bytes], most_entries: int = MOST_ENTRIES) -> Snapshot:
    """Read a tar stream whose members all lie below one folder.

    Raises:
        TooLargeError: beyond MOST_BYTES or `most_entries`.
        StaleError: the folder's own entry is not the sticky one of the workspace's mount, which the agent cannot change.
    """
    reader = _Reader()
    source = io.BufferedReader(_Stream(chunks), 1024 * 1024)
    with tarfile.open(fileobj=source, mode="r|", encoding="utf-8", errors="surrogateescape") as archive:
        first = archive.next()
        if first is None or not first.isdir() or first.uid != 0 or not first.mode & STICKY:
            raise StaleError
        for count, member in enumerate(archive):
            if count >= most_entries:
                raise TooLargeError(f"more than {most_entries} files and folders")
            reader.take(archive, member)
    return Snapshot(tree=Tree.of(dict(reader.files)), refused=tuple(sorted(reader.refused)))


class _Reader:
    def __init__(self) -> None:
        self.files: dict[str, File] = {}
        self.refused: set[str] = set()
        self._seen: dict[str, File] = {}

    def take(self, archive: tarfile.TarFile, member: tarfile.TarInfo) -> None:
        """Read one member."""
        _, _, path = member.name.partition("/")
        parts = path.split("/")
        if ".git" in parts[1:]:
            self._refuse("/".join(parts[: parts.index(".git", 1) + 1]), "a nested repository")
            return
        if member.isdir() or not path:
            return
        file = self._content(archive, member)
        if file is not None:
            self._seen[member.name] = file
        if parts[0] == ".git" or GENERATED & set(parts):
            return
        reason = _reason(path, parts, member) or ("" if file else "a hard link to nothing that was read")
        if reason:
            self._refuse(path, reason)
        elif file is not None:
            self.files[path] = file

    def _content(self, archive: tarfile.TarFile, member: tarfile.TarInfo) -> File | None:
        if member.islnk():
            return self._seen.get(member.linkname)
        source = archive.extractfile(member) if member.isreg() else None
        if source is None:
            return None
        return File(content=source.read(), mode=EXECUTABLE if member.mode & 0o100 else REGULAR)

    def _refuse(self, path: str, reason: str) -> None:
        self.refused.add(f"{path}: {reason}")


def _reason(path: str, parts: list[str], member: tarfile.TarInfo) -> str:
    """Why a member cannot be part of a change; empty for one that can."""
    if path.startswith("/") or ".." in parts or "" in parts:
        return "a path that leaves the workspace"
    if member.issym():
        return "a symbolic link"
    if not (member.isreg() or member.islnk()):
        return "a device, pipe or socket"
    if path.endswith(COMPILED):
        return "a compiled file"
    return "a path configuration file" if path.endswith(".pth") else ""


class _Stream(io.RawIOBase):
    """The chunks of an HTTP answer as a stream that refuses to go on for ever (a sparse file is sent with all its zeros)."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._rest = memoryview(b"")
        self._count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        if not self._rest:
            self._rest = memoryview(next(self._chunks, b""))
            self._count += len(self._rest)
            if self._count > MOST_BYTES:
                raise TooLargeError(f"more than {MOST_BYTES // (1024 * 1024)} MiB")
        view = memoryview(buffer).cast("B")
        size = min(len(view), len(self._rest))
        view[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size
