"""Which files of a repository are its project's own: caches are not, nor suites of tasks that lie in it.

A suite's tests are not the project's, its tasks hold other states of code, and answers.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from harness.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Collection

CACHES = re.compile(r"(?:^|/)(?:__pycache__|\.git|\.pytest_cache|\.ruff_cache|\.mypy_cache)/|\.pyc$")
UNFINISHED = re.compile(r"(?:.*/)?\.[^/]+\.unfinished/")  # a suite in the making, see `suites.unfinished`


def suites_in(paths: Collection[str]) -> tuple[str, ...]:
    """The beginnings of all paths that lie in suites.

    A task is a folder with task.toml and instruction.md, of this harness or of Harbor. With the tasks goes the folder that holds
    their suite.toml, and what a mutating that was stopped has left.
    """
    known = frozenset(paths)
    tasks = {path.removesuffix("task.toml") for path in known if path.endswith("/task.toml")}
    tasks = {folder for folder in tasks if f"{folder}instruction.md" in known}
    suites = {path.removesuffix("suite.toml") for path in known if path.endswith("/suite.toml")}
    left = {match[0] for path in known if (match := UNFINISHED.match(path))}
    return (*tasks, *left, *(folder for folder in suites if any(task.startswith(folder) for task in tasks)))


def own(tree: Tree) -> Tree:
    """The project's own files of a tree."""
    return _without(tree, suites_in(tree.by_path))


def own_sides(base: Tree, after: Tree, *, coming: bool = False) -> tuple[Tree, Tree, tuple[str, ...]]:
    """The project's own files of both sides of a change, and the suites' folders that are left out.

    The base decides, so that no change can call its own code a suite, and what is one stays one. Where nobody is judged, suites
    that are `coming` with the change are left out too, but for folders that the base has files in.
    """
    dropped = suites_in(base.by_path)
    if coming:
        new = suites_in(after.by_path)
        dropped += tuple(folder for folder in new if not any(path.startswith(folder) for path in base.by_path))
    return _without(base, dropped), _without(after, dropped), tuple(sorted(set(dropped)))


def _without(tree: Tree, dropped: tuple[str, ...]) -> Tree:
    files = ((path, file) for path, file in tree if not path.startswith(dropped) and not CACHES.search(path))
    return Tree(files=tuple(files))
