from __future__ import annotations

import json
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

import pytest

from harness.rollout import Change
from harness.sandbox.allowed import graded_trees, hidden_tree
from harness.sandbox.order import grading_order
from harness.tree import Tree, difference

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harness.task import Task


def change(base: Tree, files: Mapping[str, str], *gone: str) -> Change:
    """A change that writes some files and deletes others."""
    after = base.overlaid(Tree.of(files))
    after = Tree(files=tuple((path, file) for path, file in after if path not in gone))
    return Change(files=difference(base, after), patch=b"")


@pytest.mark.parametrize(
    "path",
    [
        *("conftest.py", "src/calc/conftest.py", "pytest.ini", "tox.ini", "setup.cfg", "pyproject.toml", "sub/ruff.toml"),
        *("sitecustomize.py", "src/usercustomize.py", "src/a.pth", "src/x-1.dist-info/entry_points.txt", "tests/test_new.py"),
    ],
)
def test_what_loads_by_itself_is_dropped(task: Task, path: str) -> None:
    trees = graded_trees(task, change(task.base, {path: "x = 1\n", "src/calc/more.py": "y = 2\n"}))
    assert trees.dropped == (path,)
    assert trees.project == task.base.overlaid(Tree.of({"src/calc/more.py": "y = 2\n"}))


def test_a_deleted_or_overgrown_configuration_stands_as_in_the_base(task: Task) -> None:
    trees = graded_trees(task, change(task.base, {"pyproject.toml/evil.py": "x = 1\n"}, "tests/test_calc.py"))
    assert trees.project == task.base
    assert trees.dropped == ("pyproject.toml", "pyproject.toml/evil.py", "tests/test_calc.py")
    assert trees.linted.get("pyproject.toml") == task.base.get("pyproject.toml")


def test_the_linter_sees_the_agents_tests_but_not_its_configuration(task: Task) -> None:
    trees = graded_trees(
        task, change(task.base, {"tests/test_new.py": "x=1\n", "src/ruff.toml": "", "tests/conftest.py": "y=1\n"})
    )
    assert trees.linted == task.base.overlaid(Tree.of({"tests/test_new.py": "x=1\n", "tests/conftest.py": "y=1\n"}))


@pytest.mark.parametrize("name", [".ignore", "src/.ignore", "mypy.ini", "setup.cfg", "eslint.config.mjs", "web/.eslintrc.json"])
def test_what_the_linter_obeys_comes_from_the_base(task: Task, name: str) -> None:
    assert graded_trees(task, change(task.base, {name: "*\n"})).linted == task.base


def test_a_plug_in_that_a_linter_is_told_to_load_comes_from_the_base_in_the_order_too(task: Task) -> None:
    settings = Tree.of({"mypy.ini": "[mypy]\nplugins = tools/plug.py\n", "tools/plug.py": "base's"})
    about = replace(task, base=task.base.overlaid(settings), reference=task.reference.overlaid(settings))
    edit = change(about.base, {"tools/plug.py": "the change's", "tools/ast.py": "the change's"})
    for command, times in (("mypy", 1), ("ruff", 2)):  # in the project as such, and where no linter loads it, to be linted
        order = grading_order(about, edit, Random(1), [(command, ".")], lint_base=False)
        assert json.dumps(order.head["files"]).count("tools/ast.py") == times


def test_what_the_reference_changes_the_agent_may_change_for_the_tests(task: Task) -> None:
    wider = replace(task, reference=task.reference.overlaid(Tree.of({"pyproject.toml": "[project]\n"})))
    trees = graded_trees(wider, change(task.base, {"pyproject.toml": "[tool]\n"}))
    assert trees.dropped == ()
    assert trees.linted == task.base


def test_conftest_files_above_the_hidden_tests_come_along_and_the_suites_own_win(task: Task) -> None:
    base = task.base.overlaid(Tree.of({"tests/conftest.py": "a\n", "conftest.py": "b\n", "src/conftest.py": "c\n"}))
    hidden = Tree.of({"tests/test_x.py": "", "conftest.py": "suite\n"})
    assert hidden_tree(replace(task, base=base, hidden=hidden)) == Tree.of(
        {"conftest.py": "suite\n", "tests/conftest.py": "a\n", "tests/test_x.py": ""}
    )
