"""A git repository, read only: the commits of its main line and their trees. Nothing of it is executed.

Any will do: with or without a work tree, whatever its main branch is called, whoever owns it: what its configuration would have
git run is switched off, but for the fetching of what a partial clone lacks. Every call is a process of its own, so that threads
may share one.
"""

from __future__ import annotations

import os
import re
import tempfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

import git

from harness.errors import InputError
from harness.own_files import own, suites_in
from harness.tree import EXECUTABLE, REGULAR, File, Tree

if TYPE_CHECKING:
    from collections.abc import Collection

FILES = {"100644": REGULAR, "100755": EXECUTABLE}  # git's modes of regular files
# One time zone, so that dates compare as text.
QUIET = {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C", "TZ": "UTC"}
# Over whatever the repository's own configuration says: names as they are, and no program of its choice.
_PLAIN = [
    word
    for setting in (
        *("core.quotePath=false", "core.fsmonitor=false", "core.hooksPath=/dev/null", "log.showSignature=false"),
        *("diff.orderFile=/dev/null", "core.sshCommand=ssh"),
    )
    for word in ("-c", setting)
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """One step of the main line: its id, its first parent's (empty for a root), ISO date, message."""

    id: str
    parent: str
    date: str
    message: str

    @property
    def title(self) -> str:
        """The message's first line; of a merge commit that says nothing, the first that does."""
        lines = [line.strip() for line in self.message.splitlines() if line.strip()]
        said = [line for line in lines if not re.match(r"Merge (pull request|branch|remote)", line)]
        return (said or lines or [""])[0]


def is_repository(folder: Path) -> bool:
    """Whether the folder is the root of a git checkout."""
    return (folder / ".git").exists()


class GitHistory:
    """One repository."""

    def __init__(self, folder: Path) -> None:
        """Open it.

        Raises:
            InputError: the folder is the root of no git repository.
        """
        try:
            found = git.Repo(folder)
        except (git.InvalidGitRepositoryError, git.NoSuchPathError) as error:
            raise InputError(f"{folder}: no git repository; name a checkout or a bare repository") from error
        self._folder = folder
        self._git_dir = str(Path(found.git_dir).resolve())
        found.close()

    def head(self) -> str:
        """The commit of HEAD, or, where that names a branch that does not exist, of the branch committed to last; or empty."""
        found = self._text("rev-parse", "--verify", "--quiet", "HEAD^{commit}", check=False).strip()
        newest = ("for-each-ref", "--sort=-committerdate", "--count=1", "--format=%(objectname)", "refs/heads")
        return found or self._text(*newest).strip()

    @cached_property
    def suites(self) -> tuple[str, ...]:
        """The beginnings of all paths that lie in suites at the head."""
        head = self.head()
        names = self._bytes("ls-tree", "-r", "-z", "--name-only", head).split(b"\0") if head else []
        return suites_in([os.fsdecode(name) for name in names])

    def id_of(self, revision: str) -> str:
        """The full id of a revision.

        Raises:
            InputError: there is no such commit.
        """
        return self._text("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}").strip()

    def commits(self, *, most: int | None = None, since: str = "", after: str = "", until: str = "HEAD") -> tuple[Commit, ...]:
        """The main line's commits (first parents), newest first: `most` of them, `since` a day in UTC, `after` an older commit.

        Raises:
            InputError: there is no such commit.
        """
        wanted = f"{self.id_of(after)}..{self.id_of(until)}" if after else self.id_of(until)
        limits = [*([f"-n{most}"] if most is not None else []), *([f"--since={since}T00:00:00Z"] if since else [])]
        words = ["log", "--first-parent", "-z", "--date=iso-strict-local", "--format=%H%x01%P%x01%cd%x01%B", *limits]
        found = [entry.split("\x01", 3) for entry in self._text(*words, wanted, "--").split("\0") if entry.strip()]
        return tuple(
            Commit(id=one, parent=(parents.split() or [""])[0], date=date, message=text) for one, parents, date, text in found
        )

    def tree(self, revision: str) -> Tree:
        """The project's own files of a commit. Raises InputError as `files` does."""
        return own(self.files(revision))

    def files(self, revision: str) -> Tree:
        """All regular files of a commit; links and submodules are left out.

        Raises:
            InputError: there is no such commit.
        """
        entries = []
        for entry in self._bytes("ls-tree", "-r", "-z", self.id_of(revision)).split(b"\0"):
            head, _, name = entry.partition(b"\t")
            mode, _, blob = (part.decode() for part in head.split()) if head else ("", "", "")
            if mode in FILES:
                entries.append((os.fsdecode(name), FILES[mode], blob))
        contents = self._contents({blob for _, _, blob in entries})
        return Tree.of({path: File(content=contents[blob], mode=mode) for path, mode, blob in entries})

    def _contents(self, blobs: Collection[str], *, largest: int | None = None) -> dict[str, bytes]:
        """The blobs' bytes by one process of git; those that are larger than wanted are empty."""
        if not blobs:
            return {}
        with tempfile.TemporaryFile() as wanted:
            wanted.write("".join(f"{blob}\n" for blob in sorted(blobs)).encode())
            wanted.seek(0)
            said = self._bytes("cat-file", "--batch", istream=cast("BinaryIO", wanted))
        found, start = {}, 0
        while start < len(said):
            end = said.index(b"\n", start)
            name, kind, *size = said[start:end].decode().split()
            if not size:
                raise InputError(f"{self._folder}: object {name} is {kind}; fetch it, or mend the repository")
            start = end + 1 + int(size[0])
            found[name] = b"" if largest is not None and int(size[0]) > largest else said[end + 1 : start]
            start += 1
        return found

    def _bytes(self, *words: str, istream: BinaryIO | None = None, check: bool = True) -> bytes:
        try:
            found = git.Git(str(self._folder)).execute(
                ["git", f"--git-dir={self._git_dir}", *_PLAIN, *words],
                istream=istream,
                env=QUIET,
                stdout_as_string=False,
                strip_newline_in_stdout=False,
                with_exceptions=check,
            )
        except git.GitCommandError as error:
            said = str(error.stderr).strip().removeprefix("stderr: ") or f"no such revision or file: {words[-1]}"
            raise InputError(f"{self._folder}: git {words[0]} failed: {' '.join(said.split())[-300:]}") from error
        return bytes(found)

    def _text(self, *words: str, check: bool = True) -> str:
        return self._bytes(*words, check=check).decode("utf-8", "replace")
