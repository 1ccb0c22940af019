from __future__ import annotations

from harness.own_files import suites_in, without_suites
from harness.tree import Tree


def test_a_suites_folder_is_told_from_its_tasks_and_a_task_from_two_of_its_files() -> None:
    paths = [
        "s/suite.toml",
        "s/tasks/a/task.toml",
        "s/tasks/a/instruction.md",
        "other/suite.toml",
        "x/task.toml",
        "t/instruction.md",
    ]
    assert sorted(suites_in(paths)) == ["s/", "s/tasks/a/"]


def test_a_tree_without_suites_is_left_as_it_is() -> None:
    tree = Tree.of({"a.py": "", "tests/test_a.py": ""})
    assert without_suites(tree) == tree
    assert without_suites(
        Tree.of({**{f"s/{name}": "" for name in ("task.toml", "instruction.md", "x.py")}, "a.py": ""})
    ) == Tree.of({"a.py": ""})
