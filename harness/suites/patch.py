"""Applies a git patch of text files to a Tree, exactly: no fuzz, no offsets, no reversing. Making patches is git's job."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from unidiff.errors import UnidiffParseError
from unidiff.patch import PatchSet

from harness.tree import EXECUTABLE, REGULAR, File, Tree

if TYPE_CHECKING:
    from unidiff.patch import Line, PatchedFile


class PatchError(ValueError):
    """The patch cannot be read, is binary, or does not fit the tree byte for byte."""


def patched(tree: Tree, patch: str) -> Tree:
    """The tree with the patch applied.

    Raises:
        PatchError: naming the file that does not fit.
    """
    try:
        parts = PatchSet(_lines(patch))
    except UnidiffParseError as error:
        raise PatchError(f"unreadable patch: {error}") from error
    if not any(len(part) or part.patch_info for part in parts):
        raise PatchError("the patch changes nothing")
    files = dict(tree.files)
    for part in parts:
        if not len(part) and "Binary files " in str(part):
            raise PatchError(f"{part.path}: binary change, which a text patch cannot carry")
        added, removed = _marked(part, "new"), _marked(part, "deleted")
        old = None if added else files.pop(_name(part.source_file), None)
        if old is None and not added:
            raise PatchError(f"{part.path}: changed by the patch, but not in the tree")
        if not removed:
            files[_name(part.target_file)] = File(content=_content(part, old), mode=_mode(part, old))
    return Tree.of(files)


def _marked(part: PatchedFile, word: str) -> bool:
    """By git's own header; the library's guess from the hunks takes an emptied file for a deleted one."""
    return bool(re.search(rf"^{word} file mode ", str(part.patch_info or ""), re.MULTILINE))


def _name(path: str) -> str:
    return path[2:] if path.startswith(("a/", "b/")) else path


def _mode(part: PatchedFile, old: File | None) -> int:
    found = re.search(r"^new (?:file )?mode (\d+)", str(part.patch_info or ""), re.MULTILINE)
    if found:
        return EXECUTABLE if found.group(1) == "100755" else REGULAR
    return old.mode if old else REGULAR


def _content(part: PatchedFile, old: File | None) -> bytes:
    before = _lines(old.text if old else "")
    after: list[str] = []
    position = 0
    for hunk in part:
        start = max(hunk.source_start - 1, 0) if hunk.source_length else hunk.source_start
        after += before[position:start]
        source = [line.value for line in hunk if line.is_context or line.is_removed]
        if _joined(before[start : start + hunk.source_length]) != _joined(source):
            raise PatchError(f"{part.path}: the hunk at line {hunk.source_start} does not fit the tree")
        after += _target(list(hunk))
        position = start + hunk.source_length
    return "".join(after + before[position:]).encode("utf-8", "surrogateescape")


def _lines(text: str) -> list[str]:
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _joined(lines: list[str]) -> str:
    return "".join(lines).removesuffix("\n")


def _target(lines: list[Line]) -> list[str]:
    kept: list[str] = []
    for index, line in enumerate(lines):
        if line.line_type in {" ", "+"}:
            bare = index + 1 < len(lines) and lines[index + 1].line_type == "\\"
            kept.append(line.value.removesuffix("\n") if bare else line.value)
    return kept
