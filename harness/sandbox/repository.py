"""The harness's own git repository: trees made from values, the difference of two of them, and a task's one-commit history.

Nothing of the agent's git is used. Objects are written from bytes, never by `git add`, which obeys attributes and ignore files.
"""

from __future__ import annotations

import io
import os
import tempfile
import threading
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

import git
from gitdb import IStream  # type: ignore[import-untyped]  # it ships no types

from harness.rollout import Change
from harness.tree import File, Tree, difference

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

AUTHOR = b"Base <base@localhost> 946684800 +0000"
MESSAGE = b"Base\n"
ALWAYS_IGNORED = "*.egg-info/\n.coverage\n.venv/\nnode_modules/\n"
QUIET = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "LC_ALL": "C",
}
_HOSTS = {"hooks", "logs", "description"}  # made by the host's git, with the host's user in them
PLAIN = (
    "-c",
    "core.quotePath=false",
    "-c",
    "core.autocrlf=false",
    "-c",
    "diff.noprefix=false",
    "-c",
    "diff.mnemonicPrefix=false",
)


class Repository:
    """A bare repository in a folder of the harness. Usable from several threads."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._known: dict[str, bytes] = {}

    @cached_property
    def _repo(self) -> git.Repo:
        git.Repo.init(self._folder, bare=True)
        return git.Repo(self._folder)

    def change(self, base: Tree, after: Tree, refused: tuple[str, ...] = ()) -> Change:
        """The change from one tree to another, with its patch in bytes and git's own view of renames."""
        files = difference(base, after)
        if not files:
            return Change(files=(), patch=b"", refused=refused)
        with self._lock:
            ids = [self._tree(tree).hex() for tree in (base, after)]
        patch = self._diff("--binary", "--full-index", "--no-renames", *ids)
        moved = any(file.old is None for file in files) and any(file.new is None for file in files)
        renames = tuple(_renames(self._diff("--name-status", "-z", "--find-renames", *ids))) if moved else ()
        return Change(files=files, patch=patch, renames=renames, refused=refused)

    def ignored(self, base: Tree, paths: Iterable[str]) -> frozenset[str]:
        """Which of the paths the base's own ignore files, and a few rules for built files, leave out."""
        names = [os.fsencode(path) for path in paths]
        if not names:
            return frozenset()
        with self._ignore_files(base) as folder, tempfile.TemporaryFile() as listing:
            listing.write(b"".join(name + b"\0" for name in names))
            listing.seek(0)
            found = git.Git(str(folder)).execute(
                ["git", *PLAIN, "-c", "core.excludesFile=always-ignored", "check-ignore", "--no-index", "-z", "--stdin"],
                istream=cast("BinaryIO", listing),
                env=QUIET | {"GIT_DIR": str(self._folder.resolve()), "GIT_WORK_TREE": str(folder)},
                with_exceptions=False,
                stdout_as_string=False,
                strip_newline_in_stdout=False,
            )
        return frozenset(os.fsdecode(name) for name in bytes(found).split(b"\0") if name)

    def history(self, base: Tree) -> Tree:
        """The files of a `.git` folder that holds `base` as one commit on `main`, by a neutral author at a fixed date."""
        with tempfile.TemporaryDirectory() as folder:
            made = git.Repo.init(folder, initial_branch="main")
            repo = git.Repo(folder)
            tree = _store_tree(repo, base)
            text = b"tree %s\nauthor %s\ncommitter %s\n\n%s" % (tree.hex().encode(), AUTHOR, AUTHOR, MESSAGE)
            commit = _store(repo, b"commit", text).hex()
            repo.git.update_ref("refs/heads/main", commit, env=QUIET)
            repo.git.repack("-adq", env=QUIET)
            require_only(repo, commit)
            repo.git.read_tree("main", env=QUIET)
            made.close()
            repo.close()
            root = Path(folder)
            paths = sorted(path for path in (root / ".git").rglob("*") if path.is_file() and not _HOSTS & set(path.parts))
            return Tree.of({path.relative_to(root).as_posix(): path.read_bytes() for path in paths})

    def close(self) -> None:
        """Close git's file handles."""
        if "_repo" in self.__dict__:
            self._repo.close()

    def _tree(self, tree: Tree) -> bytes:
        if tree.id not in self._known:
            self._known[tree.id] = _store_tree(self._repo, tree)
        return self._known[tree.id]

    def _diff(self, *arguments: str) -> bytes:
        found = git.Git(str(self._folder)).execute(
            ["git", *PLAIN, "diff", "--no-ext-diff", "--no-textconv", "--no-color", *arguments],
            env=QUIET | {"GIT_DIR": str(self._folder.resolve())},
            stdout_as_string=False,
            strip_newline_in_stdout=False,
        )
        return bytes(found)

    @contextmanager
    def _ignore_files(self, base: Tree) -> Iterator[Path]:
        """A folder with nothing but the base's ignore files."""
        _ = self._repo
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "always-ignored").write_text(ALWAYS_IGNORED, encoding="utf-8")
            for path, file in base:
                if path.rpartition("/")[2] == ".gitignore":
                    (folder / path).parent.mkdir(parents=True, exist_ok=True)
                    (folder / path).write_bytes(file.content)
            yield folder


def require_only(repo: git.Repo, commit: str) -> None:
    """Check object by object that a repository holds one commit and what it names: nothing to find the fix in.

    Raises:
        RuntimeError: it holds more.
    """
    held = set(repo.git.cat_file("--batch-all-objects", "--batch-check=%(objectname)", env=QUIET).split())
    named = set(repo.git.rev_list("--objects", "--no-object-names", commit, env=QUIET).split())
    kinds = repo.git.cat_file("--batch-all-objects", "--batch-check=%(objecttype)", env=QUIET).split()
    if held != named or kinds.count("commit") != 1 or "tag" in kinds:
        raise RuntimeError("a task's history holds more than its one commit")


def _renames(listing: bytes) -> Iterator[tuple[str, str]]:
    """Pairs of (old, new) from `--name-status -z`: a status, then one path, or two for a rename or copy."""
    fields = iter(listing.split(b"\0"))
    for status in fields:
        if status.startswith((b"R", b"C")):
            old, new = next(fields), next(fields)
            yield os.fsdecode(old), os.fsdecode(new)
        elif status:
            next(fields)


def _store_tree(repo: git.Repo, tree: Tree) -> bytes:
    """Write all blobs and folders of a tree; the id of the outermost folder, 20 bytes."""
    root: dict[bytes, object] = {}
    for path, file in tree:
        *folders, name = os.fsencode(path).split(b"/")
        place = root
        for folder in folders:
            inner = place.setdefault(folder, {})
            if not isinstance(inner, dict):
                raise TypeError(f"{path}: lies below a file")
            place = inner
        place[name] = file
    return _store_folder(repo, root)


def _store_folder(repo: git.Repo, folder: dict[bytes, object]) -> bytes:
    entries: list[tuple[bytes, bytes]] = []
    for name, item in folder.items():
        if isinstance(item, File):
            entries.append((name, b"%o %s\0" % (item.mode, name) + _store(repo, b"blob", item.content)))
        elif isinstance(item, dict):
            entries.append((name + b"/", b"40000 %s\0" % name + _store_folder(repo, item)))  # git sorts folders so
    return _store(repo, b"tree", b"".join(entry for _, entry in sorted(entries)))


def _store(repo: git.Repo, kind: bytes, content: bytes) -> bytes:
    stored: bytes = repo.odb.store(IStream(kind, len(content), io.BytesIO(content))).binsha
    return stored
