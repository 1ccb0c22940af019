"""A person's checkout as a Tree: what git knows or would add, else every file; installed packages and links left out."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from harness.errors import InputError
from harness.git_history import is_repository
from harness.style.history import History
from harness.tree import EXECUTABLE, REGULAR, File, Tree
from harness.tree_io import SKIPPED

if TYPE_CHECKING:
    from collections.abc import Iterator

_INSTALLED = SKIPPED | {".venv", "venv", "node_modules", ".tox", ".nox", ".hg", ".svn", "build", "dist"}


def checkout(folder: Path) -> Tree:
    """The files of a folder as a person works on them.

    Raises:
        InputError: there is no such folder, or it holds no file.
    """
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder")
    names = History(folder).listed() if is_repository(folder) else _walked(folder)
    files: dict[str, File | bytes | str] = {}
    for name in names:
        path = folder / name
        if path.is_file() and not path.is_symlink():
            mode = EXECUTABLE if path.stat().st_mode & 0o100 else REGULAR
            files[name] = File(content=path.read_bytes(), mode=mode)
    if not files:
        raise InputError(f"{folder}: holds no file")
    return Tree.of(files)


def _walked(folder: Path) -> Iterator[str]:
    for here, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in _INSTALLED and not name.endswith(".egg-info")]
        relative = Path(here).relative_to(folder)
        yield from ((relative / name).as_posix() for name in names if not name.endswith(".pyc"))
