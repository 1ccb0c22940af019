from __future__ import annotations

from harness.own_files import own, own_sides, suites_in
from harness.tree import Tree

TASK = {"s/tasks/a/task.toml": "", "s/tasks/a/instruction.md": ""}


def test_a_suites_folder_is_told_from_its_tasks_and_a_task_from_two_of_its_files() -> None:
    paths = ["s/suite.toml", *TASK, "other/suite.toml", "x/task.toml", "t/instruction.md"]
    assert sorted(suites_in(paths)) == ["s/", "s/tasks/a/"]


def test_a_tree_without_suites_and_caches_is_left_as_it_is() -> None:
    tree = Tree.of({"a.py": "", "tests/test_a.py": ""})
    assert own(tree) == tree
    assert own(Tree.of({**TASK, "s/tasks/a/x.py": "", "__pycache__/a.pyc": "", "a.py": ""})) == Tree.of({"a.py": ""})


def test_the_base_decides_what_is_a_suite() -> None:
    base = Tree.of({"box/a.py": "", "s/suite.toml": "", **TASK, "s/tasks/a/x.py": ""})
    after = Tree.of({"box/a.py": "1", "box/task.toml": "", "box/instruction.md": "", "s/tasks/a/x.py": "", "new/task.toml": ""})
    after = after.overlaid(Tree.of({"new/instruction.md": "", "new/x.py": ""}))
    old, new, left_out = own_sides(base, after)
    assert [path for path, _ in old] == ["box/a.py"]
    judged = ["box/a.py", "box/instruction.md", "box/task.toml"]
    assert [path for path, _ in new] == [*judged, "new/instruction.md", "new/task.toml", "new/x.py"]
    assert left_out == ("s/", "s/tasks/a/")
    _, new, left_out = own_sides(base, after, coming=True)
    assert ([path for path, _ in new], left_out) == (judged, ("new/", "s/", "s/tasks/a/"))
