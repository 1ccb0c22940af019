"""A repository's main line as candidates for tasks: one first-parent step each, so that a merged request counts as one change.

Any git repository will do: with or without a work tree, whatever its main branch is called. Nothing of it is executed, and an
address is cloned without a work tree into a folder of the caller's.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import git

from harness.errors import InputError
from harness.git_history import FILES, QUIET, Commit, GitHistory
from harness.own_files import CACHES, own_sides, suites_in
from harness.suites.probing import TEST_MODULE, is_test
from harness.suites.programs import declares_alone, loses_tests_alone, same_program
from harness.suites.rejected import Reason, Rejected
from harness.tree import File, FileChange, Tree, difference

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

FEWEST_LINES, MOST_LINES = 2, 200  # of source that a change adds and removes
# Beside sources; any other file may be data of the program.
_SAYS_NOTHING = re.compile(r"(?:^|/)\.|^docs?/|\.(?:pyi?|md|rst)$")
_BUMP = re.compile(r"(?:^|/)(?:_?version|__about__|__version__|_static_version)\.py$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A step with the trees on both sides, and its counted source lines (added and removed)."""

    step: Commit
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
        git.Repo.clone_from(address, target, bare=True, env=QUIET).close()
    except git.GitCommandError as error:
        said = str(error.stderr).strip().removeprefix("stderr: ").strip("'").strip()
        raise InputError(f"{address}: cannot be cloned: {' '.join(said.split())[-300:]}") from error
    return target


def is_address(text: str) -> bool:
    """Whether a repository is named by address, not by path."""
    return bool(re.match(r"[a-z+]+://|[\w.-]+@[\w.-]+:", text))


class Repository(GitHistory):
    """A repository whose steps may become tasks."""

    def __init__(self, folder: Path) -> None:
        """Open it.

        Raises:
            InputError: there is no git repository, or one without any commit.
        """
        super().__init__(folder)
        if not self.head():
            raise InputError(f"{folder}: a repository without commits")

    def steps(self, *, since: str = "") -> tuple[Commit, ...]:
        """The steps of the main line, newest first; `since` is a day in UTC, YYYY-MM-DD, or empty."""
        return tuple(commit for commit in self.commits(since=since, until=self.head()) if commit.parent)

    def screen(self, step: Commit) -> int:
        """The number of source lines that the step adds and removes; by the changed Python files alone, no tree is read.

        Raises:
            Rejected: no task can be made of it.
        """
        found = self._differing(step)
        lines = self._lines(step, frozenset(_promising(found)))
        if not FEWEST_LINES <= lines <= MOST_LINES:
            raise Rejected(Reason.SIZE, f"{lines} lines of source, {FEWEST_LINES} to {MOST_LINES} are taken")
        _require_news(self._read(found))
        return lines

    def candidate(self, step: Commit) -> Candidate:
        """The step's trees, if it is one that a task could be made of.

        Raises:
            Rejected: with the reason.
        """
        lines = self.screen(step)
        base, fix, _ = own_sides(self.files(step.parent), self.files(step.id), coming=True)
        changed = difference(base, fix)
        _require_news(changed)  # again: what lies in a suite is in neither tree
        return Candidate(step=step, base=base, fix=fix, changed=changed, source_lines=lines)

    def _differing(self, step: Commit) -> list[_Differing]:
        """What the step changes outside suites, a renamed file as one that goes and one that comes; no file is read."""
        fields = iter(self._difference(step, "--raw", "--no-abbrev"))
        found = [_Differing(os.fsdecode(next(fields)), *head.decode()[1:].split()[:4]) for head in fields]
        suites = (*self.suites, *suites_in([one.path for one in found]))
        return [one for one in found if not one.path.startswith(suites)]

    def _lines(self, step: Commit, paths: Collection[str]) -> int:
        """Added and removed lines of some files."""
        counts = [entry.split(b"\t", 2) for entry in self._difference(step, "--numstat")]
        return sum(int(part) for *pair, path in counts if os.fsdecode(path) in paths for part in pair if part.isdigit())

    def _difference(self, step: Commit, *words: str) -> list[bytes]:
        options = ["-r", "-z", "--no-renames", "--no-commit-id", *words]
        return [field for field in self._bytes("diff-tree", *options, step.parent, step.id, "--").split(b"\0") if field]

    def _read(self, found: Collection[_Differing]) -> tuple[FileChange, ...]:
        """The changed regular files, with what the Python ones hold; the others are empty."""
        sides = {side for one in found for side in one.sides if one.path.endswith(".py")}
        contents = self._contents({blob for mode, blob in sides if mode in FILES})

        def file(mode: str, blob: str) -> File | None:
            return File(content=contents.get(blob, b""), mode=FILES[mode]) if mode in FILES else None

        return tuple(FileChange(path=one.path, old=file(*one.sides[0]), new=file(*one.sides[1])) for one in found)


class _Differing(NamedTuple):
    """A path with git's modes and blobs of both sides, zeros where it is not."""

    path: str
    old_mode: str
    new_mode: str
    old: str
    new: str

    @property
    def sides(self) -> tuple[tuple[str, str], tuple[str, str]]:
        """Mode and blob, before and after."""
        return (self.old_mode, self.old), (self.new_mode, self.new)


def _promising(found: Collection[_Differing]) -> list[str]:
    """The changed sources, by names alone: most steps end here. Raises Rejected."""
    sources = [one.path for one in found if _is_source(one.path)]
    if not sources:
        raise Rejected(Reason.NO_SOURCE, "no Python file outside the tests changes")
    if not any(TEST_MODULE.search(one.path) and int(one.new, 16) for one in found):
        raise Rejected(Reason.NO_TESTS, "no test module changes")
    return sources


def _is_source(path: str) -> bool:
    return path.endswith(".py") and not is_test(path) and path.rpartition("/")[2] not in {"setup.py", "noxfile.py", "conf.py"}


def _require_news(changed: Collection[FileChange]) -> None:
    """Refuse a change that no test could tell: the sources do the same, or no test says anything new. Raises Rejected."""
    sources = [change for change in changed if _is_source(change.path)]
    tests = [change for change in changed if is_test(change.path) and not CACHES.search(change.path)]
    if not _brings_data(changed, sources) and all(map(_does_the_same, sources)):
        words = "the sources differ in comments, layout, docstrings, the order of imports or the version only"
        raise Rejected(Reason.SAME_CODE, words)
    if not tests:
        raise Rejected(Reason.NO_TESTS, "no test module changes")
    if all(map(_tells_nothing, tests)):
        raise Rejected(Reason.NO_TESTS, "the tests differ in comments or layout only, or lose some of them")


def _brings_data(changed: Collection[FileChange], sources: Collection[FileChange]) -> bool:
    """Whether anything changes that a program may read: a file in a folder beside or below its changed sources."""
    folders = {f"{change.path.rpartition('/')[0]}/" for change in sources}
    return any(
        "/" in one.path and (one.path.startswith(tuple(folders)) or "/" in folders)
        for one in changed
        if not _SAYS_NOTHING.search(one.path) and not is_test(one.path)
    )


def _does_the_same(change: FileChange) -> bool:
    return same_program(change) or bool(_BUMP.search(change.path) and declares_alone(change))


def _tells_nothing(change: FileChange) -> bool:
    """Whether a changed file among the tests is the same as before, or a test module that at most loses tests."""
    if TEST_MODULE.search(change.path):
        return change.new is None or loses_tests_alone(change)
    return change.path.endswith(".py") and same_program(change)
