"""Tree: the files of a project as values, and edits of them. Paths are POSIX, relative, surrogate-escaped text.

Owns identity, difference and edits of trees; reading and writing folders is `tree_io`, taking them out of a container is
the sandbox's.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from difflib import unified_diff
from functools import cache, cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

REGULAR = 0o100644
EXECUTABLE = 0o100755


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """One regular file: its bytes and whether it may be executed (git's two modes)."""

    content: bytes
    mode: int = REGULAR

    @property
    def text(self) -> str:
        """The content as text; undecodable bytes are kept as surrogates."""
        return self.content.decode("utf-8", "surrogateescape")


@dataclass(frozen=True, kw_only=True)
class Tree:
    """An immutable set of files, sorted by path. Not slotted: its id is computed once, on demand."""

    files: tuple[tuple[str, File], ...] = ()

    @classmethod
    def of(cls, files: Mapping[str, File | bytes | str]) -> Tree:
        """Make a tree from a mapping of path to file, bytes or text."""
        return cls(files=tuple(sorted((path, _file(value)) for path, value in files.items())))

    @cached_property
    def by_path(self) -> Mapping[str, File]:
        """The files by path."""
        return dict(self.files)

    @cached_property
    def id(self) -> str:
        """Content hash over paths, modes and bytes: 64 hex digits."""
        digest = hashlib.sha256()
        for path, file in self.files:
            name = path.encode("utf-8", "surrogateescape")
            digest.update(b"%d %o %d\0" % (len(name), file.mode, len(file.content)) + name + file.content)
        return digest.hexdigest()

    def __iter__(self) -> Iterator[tuple[str, File]]:
        return iter(self.files)

    def __len__(self) -> int:
        return len(self.files)

    def get(self, path: str) -> File | None:
        """The file at a path, or None."""
        return self.by_path.get(path)

    def overlaid(self, other: Tree) -> Tree:
        """This tree with the files of `other` put over it; `other` wins, also over a file where it has a folder."""
        blocked = {parent for path, _ in other for parent in parents(path)}
        names = tuple(f"{path}/" for path, _ in other)
        kept = {path: file for path, file in self if path not in blocked and not path.startswith(names)}
        return Tree.of(kept | dict(other.files))

    def matching(self, patterns: Iterable[str]) -> Tree:
        """Only the files whose path matches one of the patterns (see `matches`)."""
        wanted = tuple(patterns)
        return Tree(files=tuple((path, file) for path, file in self if matches(path, wanted)))


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """One path that differs between two trees; None where the file does not exist."""

    path: str
    old: File | None
    new: File | None


def difference(base: Tree, after: Tree) -> tuple[FileChange, ...]:
    """Every path that differs in bytes or mode, in path order."""
    paths = sorted(base.by_path.keys() | after.by_path.keys())
    pairs = ((path, base.get(path), after.get(path)) for path in paths)
    return tuple(FileChange(path=path, old=old, new=new) for path, old, new in pairs if old != new)


def unified(base: Tree, after: Tree) -> str:
    """All text changes between two trees as one unified diff, for reading; a new file's other side is /dev/null."""
    parts: list[str] = []
    for change in difference(base, after):
        old, new = (file.text.splitlines(keepends=True) if file else [] for file in (change.old, change.new))
        names = (f"a/{change.path}" if change.old else "/dev/null", f"b/{change.path}" if change.new else "/dev/null")
        parts += [line if line.endswith("\n") else f"{line}\n" for line in unified_diff(old, new, *names)]
    return "".join(parts)


def applied(base: Tree, changes: Iterable[FileChange]) -> Tree:
    """The base with the changes made; the inverse of `difference`."""
    files = dict(base.files)
    for change in changes:
        if change.new is None:
            files.pop(change.path, None)
        else:
            files[change.path] = change.new
    return Tree.of(files)


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One textual edit of one file: replace a text that occurs exactly once, create the file, or delete it."""

    file: str
    find: str = ""
    replace: str = ""
    create: str | None = None
    delete: bool = False


class EditError(ValueError):
    """An edit does not fit the tree: no such file, a text that does not occur exactly once, or an overlap."""


def edited(tree: Tree, edits: Iterable[Edit]) -> Tree:
    """The tree with all edits made; places are looked up in the tree as given, so order does not matter.

    Raises:
        EditError: where an edit does not fit, naming file and text.
    """
    files = dict(tree.files)
    spans: dict[str, list[tuple[int, int, str]]] = {}
    for edit in edits:
        if edit.delete:
            if files.pop(edit.file, None) is None:
                raise EditError(f"{edit.file}: cannot be deleted, there is no such file")
        elif edit.create is not None:
            files[edit.file] = File(content=edit.create.encode())
        else:
            spans.setdefault(edit.file, []).append(_span(tree, edit))
    for path, places in spans.items():
        if path in files:
            files[path] = File(content=_spliced(path, files[path].text, places), mode=files[path].mode)
    return Tree.of(files)


def _span(tree: Tree, edit: Edit) -> tuple[int, int, str]:
    file = tree.get(edit.file)
    if file is None:
        raise EditError(f"{edit.file}: cannot be edited, there is no such file")
    count = file.text.count(edit.find) if edit.find else 0
    if count != 1:
        raise EditError(f"{edit.file}: the text to replace occurs {count} times, not once: {edit.find[:80]!r}")
    start = file.text.index(edit.find)
    return start, start + len(edit.find), edit.replace


def _spliced(path: str, text: str, places: list[tuple[int, int, str]]) -> bytes:
    parts, position = [], 0
    for start, end, replacement in sorted(places):
        if start < position:
            raise EditError(f"{path}: two edits overlap at {text[start:end][:60]!r}")
        parts += [text[position:start], replacement]
        position = end
    return "".join([*parts, text[position:]]).encode("utf-8", "surrogateescape")


def parents(path: str) -> tuple[str, ...]:
    """The folders above a path, outermost first."""
    parts = path.split("/")[:-1]
    return tuple("/".join(parts[: depth + 1]) for depth in range(len(parts)))


def matches(path: str, patterns: Iterable[str]) -> bool:
    """Whether a path fits a glob: `*` stays within a folder, `**/` fits any or no folder, `dir/**` all below."""
    return any(_glob(pattern).fullmatch(path) for pattern in patterns)


@cache
def _glob(pattern: str) -> re.Pattern[str]:
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", pattern)
    known = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return re.compile("".join(known.get(part, re.escape(part)) for part in parts), re.DOTALL)


def _file(value: File | bytes | str) -> File:
    if isinstance(value, str):
        return File(content=value.encode("utf-8", "surrogateescape"))
    return value if isinstance(value, File) else File(content=value)
