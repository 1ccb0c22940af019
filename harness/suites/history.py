"""A repository's main line as candidates for tasks: one first-parent step each, so that a merged request counts as one change.

Any git repository will do: with or without a work tree, whatever its main branch is called. Nothing of it is executed, and an
address is cloned without a work tree into a folder of the caller's.
"""

from __future__ import annotations

import os
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

import git

from harness.errors import InputError
from harness.suites.probing import TEST_MODULE, is_test
from harness.suites.programs import same_program, tells_nothing_new
from harness.suites.rejected import Reason, Rejected
from harness.tree import EXECUTABLE, REGULAR, File, FileChange, Tree, difference

if TYPE_CHECKING:
    from collections.abc import Collection

FEWEST_LINES, MOST_LINES = 2, 200  # of source that a change adds and removes
CACHES = re.compile(r"(?:^|/)(?:__pycache__|\.git|\.pytest_cache|\.ruff_cache|\.mypy_cache)/|\.pyc$")  # no task holds them
_MODES = {"100644": REGULAR, "100755": EXECUTABLE}
UNFINISHED = re.compile(r"(?:.*/)?\.[^/]+\.unfinished/")  # a suite in the making, see `unfinished`
_QUIET = {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C", "TZ": "UTC"}
_BUMP = re.compile(r"(?:^|/)(?:_?version|__about__|__version__|_static_version)\.py$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One change of the main line: commit, its first parent, the ISO date, the message."""

    fix: str
    base: str
    date: str
    message: str

    @property
    def title(self) -> str:
        """The message's first line; of a merge commit that says nothing, the first that does."""
        lines = [line.strip() for line in self.message.splitlines() if line.strip()]
        said = [line for line in lines if not re.match(r"Merge (pull request|branch|remote)", line)]
        return (said or lines or [""])[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A step with the trees on both sides, and its counted source lines (added and removed)."""

    step: Step
    base: Tree
    fix: Tree
    changed: tuple[FileChange, ...]
    source_lines: int

    @property
    def changed_tests(self) -> frozenset[str]:
        """Paths of test files that the step leaves changed."""
        return frozenset(change.path for change in self.changed if change.new and is_test(change.path))

    @property
    def changed_sources(self) -> tuple[FileChange, ...]:
        """Changed Python files that are no tests."""
        return tuple(change for change in self.changed if _is_source(change.path))


def cloned(address: str, folder: Path) -> Path:
    """A repository by address as a bare clone below a folder.

    Raises:
        InputError: it cannot be cloned; with git's own words.
    """
    target = folder / "repository.git"
    try:
        git.Repo.clone_from(address, target, bare=True, env=_QUIET).close()
    except git.GitCommandError as error:
        said = str(error.stderr).strip().removeprefix("stderr: ").strip("'").strip()
        raise InputError(f"{address}: cannot be cloned: {' '.join(said.split())[-300:]}") from error
    return target


def without_suites(tree: Tree) -> Tree:
    """A project's tree without the suites that lie in it: their tests are not its own, and their tasks hold answers.

    A task is a folder with task.toml and instruction.md, of this harness or of Harbor. With the tasks goes the folder that holds
    their suite.toml, and what a mutating that was stopped has left.
    """
    tasks = {path.removesuffix("task.toml") for path, _ in tree if path.endswith("/task.toml")}
    tasks = {folder for folder in tasks if tree.get(f"{folder}instruction.md")}
    suites = {path.removesuffix("suite.toml") for path, _ in tree if path.endswith("/suite.toml")}
    left = {match[0] for path, _ in tree if (match := UNFINISHED.match(path))}
    dropped = (*tasks, *left, *(folder for folder in suites if any(task.startswith(folder) for task in tasks)))
    return Tree(files=tuple((path, file) for path, file in tree if not path.startswith(dropped)))


def is_address(text: str) -> bool:
    """Whether a repository is named by address, not by path."""
    return bool(re.match(r"[a-z+]+://|[\w.-]+@[\w.-]+:", text))


class Repository:
    """A git repository on this machine, read only; safe for threads, since every call is a process of its own."""

    def __init__(self, folder: Path) -> None:
        """Open it.

        Raises:
            InputError: there is no git repository, or one without any commit.
        """
        try:
            found = git.Repo(folder)
        except (git.InvalidGitRepositoryError, git.NoSuchPathError) as error:
            raise InputError(f"{folder}: no git repository; name a checkout, a bare repository or an address") from error
        self._where = folder
        self._git_dir = str(Path(found.git_dir).resolve())
        found.close()
        if not self._text("for-each-ref", "--count=1") and not self._head():
            raise InputError(f"{folder}: a repository without commits")

    def _head(self) -> str:
        """The commit of HEAD, or, where that names a branch that does not exist, of the branch committed to last."""
        found = self._text("rev-parse", "--verify", "--quiet", "HEAD^{commit}", check=False).strip()
        return (
            found
            or self._text("for-each-ref", "--sort=-committerdate", "--count=1", "--format=%(objectname)", "refs/heads").strip()
        )

    def steps(self, *, since: str = "") -> tuple[Step, ...]:
        """The steps of the main line, newest first; `since` is a day in UTC, YYYY-MM-DD, or empty.

        Raises:
            InputError: git refuses.
        """
        words = ["log", "--first-parent", "-z", "--date=iso-strict-local", "--format=%H%x01%P%x01%cd%x01%B"]
        said = self._text(*words, *([f"--since={since}T00:00:00Z"] if since else []), self._head(), "--")
        found = [entry.split("\x01", 3) for entry in said.split("\0") if entry.strip()]
        return tuple(
            Step(fix=fix, base=parents.split()[0], date=date, message=text) for fix, parents, date, text in found if parents
        )

    def tree(self, commit: str) -> Tree:
        """All regular files of a commit; links, submodules, caches and suites of tasks are left out."""
        entries = []
        for entry in self._bytes("ls-tree", "-r", "-z", commit).split(b"\0"):
            head, _, name = entry.partition(b"\t")
            mode, _, blob = (part.decode() for part in head.split()) if head else ("", "", "")
            path = os.fsdecode(name)
            if mode in _MODES and not CACHES.search(path):
                entries.append((path, _MODES[mode], blob))
        contents = self._contents({blob for _, _, blob in entries})
        return without_suites(Tree.of({path: File(content=contents[blob], mode=mode) for path, mode, blob in entries}))

    def screen(self, step: Step) -> int:
        """The number of source lines that the step adds and removes; by the changed Python files alone, no tree is read.

        Raises:
            Rejected: no task can be made of it.
        """
        lines = self._lines(step, self._promising(step))
        if not FEWEST_LINES <= lines <= MOST_LINES:
            raise Rejected(Reason.SIZE, f"{lines} lines of source, {FEWEST_LINES} to {MOST_LINES} are taken")
        _require_news(self._changed(step))
        return lines

    def candidate(self, step: Step) -> Candidate:
        """The step's trees, if it is one that a task could be made of.

        Raises:
            Rejected: with the reason.
        """
        lines = self.screen(step)
        base, fix = self.tree(step.base), self.tree(step.fix)
        changed = difference(base, fix)
        _require_news(changed)  # again: what lies in a suite is in neither tree
        return Candidate(step=step, base=base, fix=fix, changed=changed, source_lines=lines)

    def _promising(self, step: Step) -> list[str]:
        """The changed sources, by names alone: most steps end here. Raises Rejected."""
        names = self._bytes("diff-tree", "-r", "-z", "--name-status", "--no-renames", "--no-commit-id", step.base, step.fix)
        fields = names.split(b"\0")
        paths = {os.fsdecode(name): status for status, name in zip(fields[::2], fields[1::2], strict=False)}
        sources = [path for path in paths if _is_source(path)]
        if not sources:
            raise Rejected(Reason.NO_SOURCE, "no Python file outside the tests changes")
        if not any(TEST_MODULE.search(path) for path, status in paths.items() if status != b"D"):
            raise Rejected(Reason.NO_TESTS, "no test module changes")
        return sources

    def _lines(self, step: Step, paths: Collection[str]) -> int:
        """Added and removed lines of some files."""
        said = self._bytes(
            "diff-tree", "-r", "-z", "--numstat", "--no-renames", "--no-commit-id", step.base, step.fix, "--", *paths
        )
        counts = [entry.split(b"\t")[:2] for entry in said.split(b"\0") if entry]
        return sum(int(part) for pair in counts for part in pair if part.isdigit())

    def _changed(self, step: Step) -> tuple[FileChange, ...]:
        """The step's changed files, with what the Python ones hold; the others have their mode alone."""
        said = self._bytes("diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", "--no-commit-id", step.base, step.fix)
        fields = said.split(b"\0")
        heads = [
            (os.fsdecode(path), *head.decode()[1:].split()[:4]) for head, path in zip(fields[::2], fields[1::2], strict=False)
        ]
        contents = self._contents(
            {blob for path, *_, old, new in heads if path.endswith(".py") for blob in (old, new) if int(blob, 16)}
        )

        def side(mode: str, blob: str) -> File | None:
            return File(content=contents.get(blob, b""), mode=_MODES[mode]) if mode in _MODES else None

        return tuple(
            FileChange(path=path, old=side(old_mode, old), new=side(new_mode, new))
            for path, old_mode, new_mode, old, new in heads
        )

    def _contents(self, blobs: Collection[str]) -> dict[str, bytes]:
        """The blobs' bytes by one process of git."""
        if not blobs:
            return {}
        with tempfile.TemporaryFile() as wanted:
            wanted.write("".join(f"{blob}\n" for blob in sorted(blobs)).encode())
            wanted.seek(0)
            said = self._bytes("cat-file", "--batch", istream=cast("BinaryIO", wanted))
        found, start = {}, 0
        while start < len(said):
            end = said.index(b"\n", start)
            name, _, size = said[start:end].decode().split()
            start = end + 1 + int(size)
            found[name] = said[end + 1 : start]
            start += 1
        return found

    def _bytes(self, *words: str, istream: BinaryIO | None = None, check: bool = True) -> bytes:
        try:
            found = git.Git(self._git_dir).execute(
                ["git", f"--git-dir={self._git_dir}", "-c", "core.quotePath=false", *words],
                istream=istream,
                env=_QUIET,
                stdout_as_string=False,
                strip_newline_in_stdout=False,
                with_exceptions=check,
            )
        except git.GitCommandError as error:
            said = str(error.stderr).strip().removeprefix("stderr: ") or "no such revision"
            raise InputError(f"{self._where}: git {words[0]} failed: {' '.join(said.split())[-300:]}") from error
        return bytes(found)

    def _text(self, *words: str, check: bool = True) -> str:
        return self._bytes(*words, check=check).decode("utf-8", "replace")


def _is_source(path: str) -> bool:
    return path.endswith(".py") and not is_test(path) and path.rpartition("/")[2] not in {"setup.py", "noxfile.py", "conf.py"}


def _require_news(changed: Collection[FileChange]) -> None:
    """Refuse a change that no test could tell: the sources do the same, or no test says anything new. Raises Rejected."""
    sources = [change for change in changed if _is_source(change.path)]
    if all(same_program(change) or _BUMP.search(change.path) for change in sources):
        raise Rejected(Reason.SAME_CODE, "the sources differ in comments, layout, imports' order or version only")
    tests = [change for change in changed if is_test(change.path) and not CACHES.search(change.path)]
    if all(change.path.endswith(".py") and tells_nothing_new(change) for change in tests):
        raise Rejected(Reason.NO_TESTS, "the tests differ in comments or layout only, or lose some of them")
