from __future__ import annotations

import ast
from pathlib import Path
from random import Random

import pytest

from harness.sandbox.canaries import Planted, planted
from harness.tree import Tree
from harness.tree_io import read_tree

MODULE = '''\
"""Module text."""

import pytest

from calc import add, parts

LIMIT = 3


# A comment stays where it was.
def test_adds_small_numbers():
    """Small ones."""
    result = add(1, 2)  # one and two
    assert result == 3


def test_splits_into_parts(tmp_path):
    assert parts("a b", LIMIT) == ["a", "b"]


@pytest.mark.parametrize(("a", "total"), [(1, 2), (2, 4)])
def test_adds_pairs(a, total):
    assert add(a, a) == total


@pytest.mark.skip
def test_skipped_for_now():
    assert add(1, 1) == 2


def test_refuses_text():
    with pytest.raises(TypeError):
        add("a", 1)
'''


def functions(text: str) -> dict[str, str]:
    """Source by name of every function of a module."""
    return {node.name: ast.unparse(node) for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}


def test_real_tests_and_all_other_lines_stay_as_they_are() -> None:
    text = planted(Tree.of({"test_a.py": MODULE}), Random(1)).tree.by_path["test_a.py"].text
    assert functions(MODULE).items() <= functions(text).items()
    kept = iter(text.splitlines())
    assert all(line in kept for line in MODULE.splitlines())


@pytest.mark.parametrize("seed", range(5))
def test_at_least_32_items_by_at_least_16_functions_under_new_names(seed: int) -> None:
    made = planted(Tree.of({"test_a.py": MODULE}), Random(seed))
    new = functions(made.tree.by_path["test_a.py"].text).keys() - functions(MODULE).keys()
    assert made.items.keys() == {f"test_a.py::{name}" for name in new}
    assert sum(made.items.values()) >= 32
    assert len(made.items) >= 16


def test_each_canary_is_a_copy_of_a_test_with_every_expected_value_changed() -> None:
    made = planted(Tree.of({"test_a.py": MODULE}), Random(3))
    text = made.tree.by_path["test_a.py"].text
    bodies = [source for name, source in functions(text).items() if f"test_a.py::{name}" in made.items]
    assert not [body for body in bodies if "result == 3" in body or "['a', 'b']" in body]
    assert {body.count("assert") for body in bodies} == {1}
    assert not [body for body in bodies if "mark.skip" in body or "raises" in body]
    tables = [body for body in bodies if "parametrize" in body]
    assert tables
    assert not [body for body in tables if "(1, 2)" in body or "(2, 4)" in body]
    assert {made.items[f"test_a.py::{body.split('def ')[1].split('(')[0]}"] for body in tables} == {2}


def test_names_and_places_differ_from_trial_to_trial() -> None:
    hidden = Tree.of({"test_a.py": MODULE})
    assert planted(hidden, Random(1)).items != planted(hidden, Random(2)).items
    assert planted(hidden, Random(1)) == planted(hidden, Random(1))


def test_canaries_spread_over_all_modules_and_leave_helpers_alone() -> None:
    made = planted(Tree.of({"test_a.py": MODULE, "sub/b_test.py": MODULE, "conftest.py": "X = 1\n"}), Random(1))
    assert {name.partition("::")[0] for name in made.items} == {"test_a.py", "sub/b_test.py"}
    assert made.tree.by_path["conftest.py"].text == "X = 1\n"


@pytest.mark.parametrize(
    "text", ["", "def test_only():\n    assert True\n", "class TestAll:\n    def test_x(self):\n        assert 1\n"]
)
def test_a_module_without_a_test_to_copy_gets_plain_ones(text: str) -> None:
    made = planted(Tree.of({"test_a.py": text}), Random(1))
    new = functions(made.tree.by_path["test_a.py"].text)
    assert len(made.items) == 32
    for name in made.items:
        body = new[name.partition("::")[2]]
        assert "assert len(" in body
        with pytest.raises(AssertionError):
            exec(f"{body}\n{name.partition('::')[2]}()", {})  # noqa: S102  (a generated function, run to see it fail)


def test_trees_without_a_readable_test_module_are_left_alone() -> None:
    hidden = Tree.of({"test_a.py": "def (", "data.txt": "x"})
    assert planted(hidden, Random(1)) == Planted(tree=hidden, items={})


@pytest.mark.parametrize("project", ["confmerge", "ledgerline", "recur", "stencil", "texttable", "throttle"])
def test_every_hidden_test_of_the_bundled_suite_takes_canaries_that_compile(project: str) -> None:
    for folder in sorted((Path(__file__).parents[2] / f"task_suites/pocket/projects/{project}/hidden").iterdir()):
        made = planted(read_tree(folder), Random(5))
        assert sum(made.items.values()) >= 32
        for _, file in made.tree:
            compile(file.content, "x", "exec")
