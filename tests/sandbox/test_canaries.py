"""Canaries: planted tests that must fail and must never keep a module from being collected."""

import ast
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.sandbox.canaries import COUNT, planted
from harness.tree import Tree

DATES = """\
from datetime import date

import pytest


@pytest.mark.parametrize(
    ("text", "expected"),
    [("a", date(2024, 1, 31)), ("b", [date(2024, 2, 29)]), ("c", {"day": date(2024, 3, 1), "n": 3})],
)
def test_dates_are_read(text, expected):
    assert text == expected


def test_a_plain_one():
    assert date(2024, 1, 1) == date(2024, 1, 31)
"""


@given(st.integers(0, 10_000))
def test_no_canary_breaks_the_import_of_its_module(seed: int) -> None:
    found = planted(Tree.of({"test_dates.py": DATES}), Random(seed))
    source = found.tree.by_path["test_dates.py"].text
    exec(compile(source, "test_dates.py", "exec"), {})  # noqa: S102  (our own text)
    assert len(found.ids) == COUNT


@pytest.mark.parametrize("seed", range(5))
def test_a_canary_is_named_of_the_words_of_its_neighbours(seed: int) -> None:
    found = planted(Tree.of({"test_dates.py": DATES}), Random(seed))
    words = {"dates", "are", "read", "a", "plain", "one"}
    names = {name.partition("::")[2] for name in found.ids}
    assert all(set(name.split("_")[1:]) <= words for name in names)
    functions = {
        node.name for node in ast.parse(found.tree.by_path["test_dates.py"].text).body if isinstance(node, ast.FunctionDef)
    }
    assert functions == names | {"test_dates_are_read", "test_a_plain_one"}
