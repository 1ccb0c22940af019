"""What every reader of a tool's output shares: runs that cannot be used, names of files placed in the tree, source lines."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import unquote

if TYPE_CHECKING:
    from collections.abc import Iterable

    from harness.ports import ToolRun
    from harness.tree import Tree

_LINE_END = re.compile(r"\r\n|\r|\n")


class UnreadableError(Exception):
    """A run whose end and output do not fit together: a crash, a broken configuration, text around the JSON, a cut."""


def raw(run: ToolRun) -> str:
    """The end of what a run said, for messages."""
    out, err = (text.decode("utf-8", "replace").strip()[-600:] for text in (run.stdout, run.stderr))
    return f"exit code {run.exit_code}; stderr: {err or 'empty'}; stdout ends: {out or 'empty'}"


def places(names: Iterable[str], tree: Tree) -> dict[str, str]:
    """The tree's path of each name that is a file of it; names may be relative, absolute or `file:` addresses.

    Names of files that are not in the tree (hidden tests, libraries) are left out.

    Raises:
        UnreadableError: there are absolute names, and none of them is a file of the tree under any folder.
    """
    plain = {name: unquote(name.removeprefix("file://")) if name.startswith("file:") else name for name in names}
    plain = {name: text.removeprefix("./") for name, text in plain.items()}
    absolute = [text for text in plain.values() if text.startswith("/")]
    root = _root(absolute, tree) if absolute else ""
    return {name: text.removeprefix(root) for name, text in plain.items() if tree.get(text.removeprefix(root))}


def _root(names: list[str], tree: Tree) -> str:
    """The folder that a tool's absolute names start with: under it, most of them are files of the tree."""
    folders = ["", *(f"{folder}/".replace("//", "/") for folder in reversed(PurePosixPath(names[0]).parents))]
    under = {folder: [name.removeprefix(folder) for name in names if name.startswith(folder)] for folder in folders}
    fitting = Counter({folder: sum(path in tree.by_path for path in paths) for folder, paths in under.items()})
    root, count = fitting.most_common(1)[0]
    if not count:
        raise UnreadableError(f"no file of the tree is named, but {names[0]}")
    return root


class Lines:
    """Source lines as tools count them, each file split once."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._split: dict[str, list[str]] = {}

    def at(self, path: str, row: int) -> str:
        """The line, or empty where there is none."""
        if path not in self._split:
            file = self._tree.get(path)
            self._split[path] = split(file.text if file else "")
        lines = self._split[path]
        return lines[row - 1] if 0 < row <= len(lines) else ""


def split(text: str) -> list[str]:
    """A text's lines, ended by CR, LF or both, and by nothing else."""
    return _LINE_END.split(text)
