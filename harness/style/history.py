"""A repository's own history, read only: its commits, what each changed, and when a line of a document came in."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, BinaryIO, cast

import git

from harness.errors import InputError
from harness.tree import EXECUTABLE, REGULAR, File, Tree

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from harness.style.checks import Renames

_FILES = {"100644": REGULAR, "100755": EXECUTABLE}
_EMPTY = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"  # git's name for the tree without files
_QUIET = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
    "TZ": "UTC",
}  # one time zone, so that dates compare as text
LARGEST = 1_000_000  # bytes of a file that is read out of history; larger ones hold no conventions


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """One commit of the main line: its id, its first parent's (empty for a root), ISO date, message."""

    id: str
    parent: str
    date: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What one commit changed: only the files that differ, before and after, with renames as (old, new)."""

    base: Tree
    after: Tree
    renames: Renames


def is_repository(folder: Path) -> bool:
    """Whether the folder is the root of a git checkout."""
    return (folder / ".git").exists()


class History:
    """A checkout's repository."""

    def __init__(self, folder: Path) -> None:
        """Open it.

        Raises:
            InputError: the folder is the root of no git repository.
        """
        try:
            self._repo = git.Repo(folder)
        except (git.InvalidGitRepositoryError, git.NoSuchPathError) as error:
            raise InputError(f"{folder}: no git repository") from error
        self._folder = folder

    def close(self) -> None:
        """End git's helper processes."""
        self._repo.close()

    def id_of(self, revision: str) -> str:
        """The full id of a revision.

        Raises:
            InputError: there is no such commit.
        """
        return self._text("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}").strip()

    def listed(self) -> list[str]:
        """Paths of the work tree that are tracked, or neither tracked nor ignored."""
        found = self._bytes("ls-files", "-z", "--cached", "--others", "--exclude-standard")
        return sorted({os.fsdecode(name) for name in found.split(b"\0") if name})

    def changed(self) -> frozenset[str]:
        """Tracked paths that differ from HEAD in the work tree."""
        found = self._bytes("diff", "--name-only", "-z", "HEAD", "--")
        return frozenset(os.fsdecode(name) for name in found.split(b"\0") if name)

    def tree(self, revision: str) -> Tree:
        """All regular files of a commit."""
        entries = []
        for entry in self._bytes("ls-tree", "-r", "-z", self.id_of(revision)).split(b"\0"):
            head, _, name = entry.partition(b"\t")
            mode, _, blob = (part.decode() for part in head.split()) if head else ("", "", "")
            if mode in _FILES:
                entries.append((os.fsdecode(name), _FILES[mode], blob))
        contents = self._contents({blob for _, _, blob in entries})
        return Tree.of({name: File(content=contents[blob], mode=mode) for name, mode, blob in entries})

    def commits(self, *, most: int, since: str = "", until: str = "HEAD", after: str = "") -> tuple[Commit, ...]:
        """The newest commits of the main line (first parents), newest first; `since` is an ISO date, `after` an older commit."""
        wanted = f"{self.id_of(after)}..{until}" if after else until
        words = ["log", "--first-parent", f"-n{most}", "-z", "--date=iso-strict-local", "--format=%H%x01%P%x01%cd%x01%B"]
        said = self._text(*words, *([f"--since={since}"] if since else []), wanted, "--")
        found = [entry.split("\x01", 3) for entry in said.split("\0") if entry.strip()]
        return tuple(
            Commit(id=one, parent=(parents.split() or [""])[0], date=date, message=text) for one, parents, date, text in found
        )

    def step(self, commit: Commit) -> Step:
        """What a commit changed against its first parent."""
        parts = iter(
            self._bytes("diff-tree", "-r", "-z", "-M", "--raw", "--no-commit-id", commit.parent or _EMPTY, commit.id).split(b"\0")
        )
        base: list[tuple[str, str, str]] = []
        after: list[tuple[str, str, str]] = []
        renames = []
        for head in parts:
            if not head:
                continue
            old_mode, new_mode, old_blob, new_blob, status = head.decode().lstrip(":").split()
            old_name = os.fsdecode(next(parts))
            new_name = os.fsdecode(next(parts)) if status[0] in "RC" else old_name
            base += [(old_name, old_mode, old_blob)] if status[0] != "C" else []
            after.append((new_name, new_mode, new_blob))
            renames += [(old_name, new_name)] if status[0] == "R" else []
        contents = self._contents({blob for _, mode, blob in (*base, *after) if mode in _FILES})
        trees = [
            Tree.of({name: File(content=contents[blob], mode=_FILES[mode]) for name, mode, blob in side if mode in _FILES})
            for side in (base, after)
        ]
        return Step(base=trees[0], after=trees[1], renames=tuple(renames))

    def introduced(self, path: str, words: str) -> str:
        """The ISO date of the oldest commit that changed how often the words stand in a file; empty where there is none."""
        said = self._text("log", "--reverse", "--date=iso-strict-local", "--format=%cd", f"-S{words}", "--", path)
        return said.split("\n", 1)[0].strip()

    def _contents(self, blobs: Collection[str]) -> dict[str, bytes]:
        """The blobs' bytes by one process of git; those that are too large are empty."""
        if not blobs:
            return {}
        with tempfile.TemporaryFile() as wanted:
            wanted.write("".join(f"{blob}\n" for blob in sorted(blobs)).encode())
            wanted.seek(0)
            said = self._bytes("cat-file", "--batch", istream=wanted)
        found, start = {}, 0
        while start < len(said):
            end = said.index(b"\n", start)
            name, _, size = said[start:end].decode().split()
            start = end + 1 + int(size)
            found[name] = b"" if int(size) > LARGEST else said[end + 1 : start]
            start += 1
        return found

    def _bytes(self, *words: str, istream: IO[bytes] | None = None) -> bytes:
        try:
            found = self._repo.git.execute(
                ["git", "-c", "core.quotePath=false", *words],
                istream=cast("BinaryIO | None", istream),
                env=_QUIET,
                stdout_as_string=False,
                strip_newline_in_stdout=False,
            )
        except git.GitCommandError as error:
            said = str(error.stderr).strip().removeprefix("stderr: ") or f"no such revision or file: {words[-1]}"
            raise InputError(f"{self._folder}: git {words[0]} failed: {said}") from error
        return found

    def _text(self, *words: str) -> str:
        return self._bytes(*words).decode("utf-8", "replace")
