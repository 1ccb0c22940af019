"""Reads a folder into a Tree and writes a Tree into a folder. Links and special files are refused."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from harness.errors import InputError
from harness.tree import EXECUTABLE, REGULAR, File, Tree

if TYPE_CHECKING:
    from pathlib import Path

MOST_BYTES = 96 * 1024 * 1024  # of one folder: a sandbox's workspace has 128 MiB, and the work needs room too
SKIPPED = frozenset({"__pycache__", ".git", ".pytest_cache", ".ruff_cache", ".mypy_cache"})


def read_tree(folder: Path) -> Tree:
    """All regular files below a folder, caches and `.git` left out.

    Raises:
        InputError: if the folder is missing, holds a symbolic link or a special file, or more than MOST_BYTES.
    """
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder")
    files: dict[str, File | bytes | str] = {}
    total = 0
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder)
        if SKIPPED & set(relative.parts) or path.suffix == ".pyc" or (path.is_dir() and not path.is_symlink()):
            continue
        if path.is_symlink() or not path.is_file():
            raise InputError(f"{path}: links and special files are not supported here; replace it by a regular file")
        total += path.stat().st_size  # before it is read: a file of gigabytes would take this machine's memory
        if total > MOST_BYTES:
            most = MOST_BYTES // (1024 * 1024)
            raise InputError(f"{path}: with this file {folder} holds more than the {most} MiB that a sandbox takes; leave it out")
        mode = EXECUTABLE if os.access(path, os.X_OK) and path.stat().st_mode & 0o100 else REGULAR
        files[relative.as_posix()] = File(content=path.read_bytes(), mode=mode)
    return Tree.of(files)


def write_tree(folder: Path, tree: Tree) -> None:
    """Write every file of the tree below the folder, which is made if missing; nothing else there is touched."""
    for name, file in tree:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.content)
        path.chmod(file.mode & 0o777)
