"""Publishes promotions on a git branch of their own: one commit each. The checked-out branch, index and files are never touched.

Objects are written by git's plumbing with an index of their own, so that a dirty tree stays as it is and no hook runs.
"""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import git

from harness.errors import ConfigError, ReportError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.skill import Skill
    from harness.tree import File

PREFIX = "harness/"
KEY = "Harness-Promotion"  # the trailer by which a commit is known again
HEAD = "Ledger-Head"  # the trailer that anchors the ledger: "<number>:<hash>" of the promotion's own entry
AUTHOR = {"NAME": "coding-skill harness", "EMAIL": "harness@localhost"}
_NOWHERE = "0" * 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """A branch that belongs to the harness: the repository's folder, the branch's name, and where the skill lies in it.

    `place` is relative to the repository; with `single` it is one file, else a folder that is the skill's alone.
    """

    root: Path
    name: str
    place: str
    single: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """What a commit says: its message, the promotion's identity, the ledger's head, and the time (ISO 8601) of the promotion."""

    message: str
    key: str
    head: str
    time: str

    def __str__(self) -> str:
        return f"{self.message.rstrip()}\n\n{KEY}: {self.key}\n{HEAD}: {self.head}\n"


def branch_for(skill: Path, tag: str) -> Branch:
    """The branch `harness/<tag>` of the repository that holds a skill; nothing is made yet.

    Raises:
        ConfigError: there is no repository or no commit, or the name is not one for a branch.
    """
    name = PREFIX + tag
    try:
        repo = git.Repo(skill, search_parent_directories=True)
    except (git.InvalidGitRepositoryError, git.NoSuchPathError) as error:
        raise ConfigError(
            f"[output] strategy = 'branches': {skill} is in no git repository; run git init there, or use 'snapshots'"
        ) from error
    with repo:
        if repo.working_tree_dir is None or not repo.head.is_valid():
            raise ConfigError(f"[output] strategy = 'branches': the repository of {skill} has no commit yet; make one first")
        try:
            repo.git.check_ref_format(f"refs/heads/{name}")
        except git.GitCommandError as error:
            raise ConfigError(
                f"[output] tag = {tag!r}: {name} is no name for a branch; use letters, digits and hyphens"
            ) from error
        root = Path(repo.working_tree_dir).resolve()
        return Branch(root=root, name=name, place=str(skill.resolve().relative_to(root)), single=skill.is_file())


def refuse_checked_out(branch: Branch) -> None:
    """Nothing is moved under a person's feet.

    Raises:
        ConfigError: the branch is checked out, here or in another work tree.
    """
    with git.Repo(branch.root) as repo:
        if f"branch refs/heads/{branch.name}" in repo.git.worktree("list", "--porcelain").splitlines():
            raise ConfigError(
                f"branch {branch.name} is checked out, and is never moved under you; switch to another, or set [output] tag"
            )


def commit_skill(branch: Branch, skill: Skill, said: Commit) -> str:
    """The commit that brings the skill to the branch, made unless it is there already; the branch moves to it atomically.

    A branch that is behind the checked-out commit, merged or not begun, goes on from there.

    Raises:
        ConfigError: the branch is checked out; nothing moved.
        ReportError: git refused; nothing moved.
    """
    refuse_checked_out(branch)
    try:
        with git.Repo(branch.root) as repo:
            old = _tip(repo, branch)
            parent = old if old and not _is_ancestor(repo, old, "HEAD") else repo.head.commit.hexsha
            known = _commits(repo, parent)
            if said.key in known:
                return known[said.key]
            tree = _tree(repo, branch, skill, parent)
            if tree == repo.git.rev_parse(f"{parent}^{{tree}}"):
                return parent
            made = _commit(repo, tree, parent, said)
            repo.git(c="core.hooksPath=/dev/null").update_ref(f"refs/heads/{branch.name}", made, old or _NOWHERE)
            return made
    except (git.GitError, OSError) as error:
        raise ReportError(f"the promotion is recorded, but {branch.name} could not be moved in {branch.root}: {error}") from error


def heads_in(branch: Branch) -> tuple[str, ...]:
    """The ledger heads that the branch's commits carry, newest first; none where there is no such branch yet."""
    with git.Repo(branch.root) as repo:
        tip = _tip(repo, branch)
        return tuple(_trailers(repo, tip, HEAD)) if tip else ()


def _tip(repo: git.Repo, branch: Branch) -> str:
    return str(repo.git.for_each_ref("--format=%(objectname)", f"refs/heads/{branch.name}"))


def _is_ancestor(repo: git.Repo, old: str, new: str) -> bool:
    return repo.is_ancestor(repo.commit(old), repo.commit(new))


def _commits(repo: git.Repo, tip: str) -> dict[str, str]:
    lines = repo.git.log(tip, f"--format=%H %(trailers:key={KEY},valueonly,separator=%x20)").splitlines()
    return {key: commit for commit, _, key in (line.partition(" ") for line in lines) if key}


def _trailers(repo: git.Repo, tip: str, key: str) -> Iterator[str]:
    lines = repo.git.log(tip, f"--format=%(trailers:key={key},valueonly,separator=%x20)").splitlines()
    return (line for line in lines if line)


def _tree(repo: git.Repo, branch: Branch, skill: Skill, parent: str) -> str:
    """The parent's tree with the skill's files in the place of the old ones."""
    files = {branch.place: skill.tree.by_path[skill.entry]} if branch.single else _below(branch.place, skill)
    gone = str(repo.git.ls_tree("-r", "-z", "--name-only", parent, "--", branch.place)).split("\0")
    listed = [f"0 {_NOWHERE}\t{path}" for path in gone if path]
    for path, file in files.items():
        with _piped(file.content) as source:
            blob = repo.git.hash_object("-w", "--stdin", istream=source)
        listed.append(f"{file.mode:o} {blob}\t{path}")
    lines = "".join(f"{line}\0" for line in listed)
    with tempfile.TemporaryDirectory() as folder, _piped(os.fsencode(lines)) as source:
        own = {"GIT_INDEX_FILE": str(Path(folder) / "index")}
        repo.git.read_tree(parent, env=own)
        repo.git.update_index("-z", "--index-info", istream=source, env=own)
        return str(repo.git.write_tree(env=own))


def _below(place: str, skill: Skill) -> dict[str, File]:
    prefix = "" if place == "." else f"{place}/"
    return {prefix + path: file for path, file in skill.tree}


def _commit(repo: git.Repo, tree: str, parent: str, said: Commit) -> str:
    who = {f"GIT_{role}_{part}": value for role in ("AUTHOR", "COMMITTER") for part, value in AUTHOR.items()}
    when = {f"GIT_{role}_DATE": said.time for role in ("AUTHOR", "COMMITTER")}
    with _piped(str(said).encode()) as source:
        return str(repo.git.commit_tree(tree, "-p", parent, "-F", "-", istream=source, env=who | when))


@contextmanager
def _piped(content: bytes) -> Iterator[BinaryIO]:
    """A file with this content, for a program's standard input."""
    with tempfile.TemporaryFile() as file:
        file.write(content)
        file.seek(0)
        yield file
