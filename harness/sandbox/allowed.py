"""Which files of a change take part in grading. Pure.

Files that a runner, the linter or Python loads by itself come from the base, unless the reference changes them too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.linter_files import LINTER_FILES, governed
from harness.tree import Tree, applied, matches, parents

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.rollout import Change
    from harness.task import Task

AUTOLOADED = (
    *LINTER_FILES,
    "**/conftest.py",
    "**/pytest.ini",
    "**/.pytest.ini",
    "**/pytest.toml",
    "**/.pytest.toml",
    "**/sitecustomize.py",
    "**/usercustomize.py",
    "**/*.pth",
    "**/*.dist-info/**",
    "**/*.egg-info/**",
)
TESTS = ("tests/**", "test/**", "**/tests/**")


@dataclass(frozen=True, slots=True, kw_only=True)
class Graded:
    """The trees of one grading: `linted` for the linter, `project` for the hidden tests; `dropped` are not in `project`."""

    linted: Tree
    project: Tree
    dropped: tuple[str, ...]


def graded_trees(task: Task, change: Change, lint: Sequence[Sequence[str]] = ()) -> Graded:
    """Split a change by what may take part. The linters, whose command lines are `lint`, see all but what configures them.

    Raises:
        SuiteError: a linter would run code of the change, see `linter_files.plugins_of`.
    """
    own = {
        path
        for path in task.base.by_path.keys() | task.reference.by_path.keys()
        if task.base.get(path) != task.reference.get(path)
    }
    project = _without(task.base, change, (*AUTOLOADED, *TESTS), own)
    dropped = [file.path for file in change.files if project.get(file.path) != file.new]
    linted = governed(task.base, applied(task.base, change.files), lint)
    return Graded(linted=linted, project=project, dropped=tuple(dropped))


def _without(base: Tree, change: Change, protected: tuple[str, ...], own: set[str]) -> Tree:
    """The base with a change, but for protected paths; a base's protected file stands even where the change has a folder."""
    kept = [file for file in change.files if file.path in own or not matches(file.path, protected)]
    stands = {path: file for path, file in base.matching(protected) if path not in own}
    return applied(base, kept).overlaid(Tree.of(stands))


def hidden_tree(task: Task) -> Tree:
    """The hidden tests, with the base's conftest files of the folders above them; the suite's own files win."""
    wanted = {f"{folder}/conftest.py" for path, _ in task.hidden for folder in parents(path)} | {"conftest.py"}
    return Tree.of({path: file for path, file in task.base if path in wanted}).overlaid(task.hidden)
