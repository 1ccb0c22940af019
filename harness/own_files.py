"""Which files of a repository are its project's own: suites of tasks that lie in it are not.

A suite's tests are not the project's, its tasks hold other states of code, and answers.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from harness.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Collection

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


def without_suites(tree: Tree) -> Tree:
    """The project's own files of a tree."""
    dropped = suites_in(tree.by_path)
    return Tree(files=tuple((path, file) for path, file in tree if not path.startswith(dropped)))
