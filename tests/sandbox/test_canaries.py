from __future__ import annotations

import ast
from pathlib import Path
from random import Random

import pytest

from harness.sandbox.canaries import planted
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


def test_as_many_canaries_as_asked_for_under_new_names() -> None:
    made = planted(Tree.of({"test_a.py": MODULE}), Random(2))
    new = functions(made.tree.by_path["test_a.py"].text).keys() - functions(MODULE).keys()
    assert made.ids == {f"test_a.py::{name}" for name in new}
    assert len(made.ids) == 32


def test_each_canary_is_a_copy_of_a_test_with_one_expected_value_changed() -> None:
    made = planted(Tree.of({"test_a.py": MODULE}), Random(3), 60)
    text = made.tree.by_path["test_a.py"].text
    bodies = [source for name, source in functions(text).items() if f"test_a.py::{name}" in made.ids]
    assert not [body for body in bodies if "result == 3" in body or "['a', 'b']" in body]
    assert {body.count("assert") for body in bodies} == {1}
    assert not [body for body in bodies if "mark.skip" in body or "raises" in body]
    rows = [body for body in bodies if "parametrize" in body]
    assert rows
    assert not [body for body in rows if "[(1, 2)]" in body or "[(2, 4)]" in body]


def test_names_and_places_differ_from_trial_to_trial() -> None:
    hidden = Tree.of({"test_a.py": MODULE})
    assert planted(hidden, Random(1)).ids != planted(hidden, Random(2)).ids
    assert planted(hidden, Random(1)) == planted(hidden, Random(1))


def test_canaries_spread_over_all_modules_and_leave_helpers_alone() -> None:
    made = planted(Tree.of({"test_a.py": MODULE, "sub/b_test.py": MODULE, "conftest.py": "X = 1\n"}), Random(1))
    assert {name.partition("::")[0] for name in made.ids} == {"test_a.py", "sub/b_test.py"}
    assert made.tree.by_path["conftest.py"].text == "X = 1\n"


@pytest.mark.parametrize(
    "text", ["", "def test_only():\n    assert True\n", "class TestAll:\n    def test_x(self):\n        assert 1\n"]
)
def test_a_module_without_a_test_to_copy_gets_plain_ones(text: str) -> None:
    made = planted(Tree.of({"test_a.py": text}), Random(1), 4)
    new = functions(made.tree.by_path["test_a.py"].text)
    assert len(made.ids) == 4
    for name in made.ids:
        body = new[name.partition("::")[2]]
        assert "assert len(" in body
        with pytest.raises(AssertionError):
            exec(f"{body}\n{name.partition('::')[2]}()", {})  # noqa: S102  (a generated function, run to see it fail)


def test_an_expression_that_is_no_plain_value_is_replaced_whole() -> None:
    text = "def test_rest():\n    assert f(1) == min(3, 100)\n    assert g() == approx(1.5, abs=0.1)\n    assert x == 'a' * 2\n"
    made = planted(Tree.of({"test_a.py": text}), Random(1), 8)
    copies = functions(made.tree.by_path["test_a.py"].text).values()
    assert {
        source.count("min(3, 100)") + source.count("approx(1.5, abs=0.1)") + source.count("'a' * 2") for source in copies
    } == {2, 3}


def test_a_parameter_that_is_an_input_too_is_never_changed() -> None:
    text = '@pytest.mark.parametrize("word", ["yes", "no"])\ndef test_same(word):\n    assert kept(word) == word\n'
    made = planted(Tree.of({"test_a.py": f"import pytest\n\n\n{text}"}), Random(1), 6)
    assert made.tree.by_path["test_a.py"].text.count("kept(word)") == 1


@pytest.mark.parametrize("project", ["ledgerline", "recur", "texttable", "throttle"])
def test_every_hidden_test_of_the_bundled_suite_takes_canaries_that_compile(project: str) -> None:
    folders = sorted((Path(__file__).parents[2] / f"task_suites/pocket/projects/{project}/hidden").iterdir())
    for folder in folders:
        made = planted(read_tree(folder), Random(5), 64)
        assert len(made.ids) == 64
        for _, file in made.tree:
            compile(file.content, "x", "exec")
