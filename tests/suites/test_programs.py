"""Pairs of sources: what is the same program, and which tests say nothing that was not said before."""

from __future__ import annotations

import pytest

from harness.suites.programs import same_program, tells_nothing_new
from harness.tree import File, FileChange

SOURCE = (
    "import os\nimport sys\nfrom box.core import size, weight\n\n__version__ = '1'\n\n\ndef first(items):\n    return items[0]\n"
)
TESTS = (
    "import box\n\n\nclass TestBox:\n    def test_a(self):\n"
    "        assert box.a() == 1\n\n    def test_b(self):\n        assert box.b()\n"
)


def change(old: str | None, new: str | None) -> FileChange:
    """A file that changes, or that is new or gone."""
    return FileChange(
        path="x.py",
        old=None if old is None else File(content=old.encode()),
        new=None if new is None else File(content=new.encode()),
    )


@pytest.mark.parametrize(
    "new",
    [
        SOURCE.replace("'1'", "'2'"),
        SOURCE.replace("import os\nimport sys\n", "import sys, os\n"),
        SOURCE.replace("size, weight", "(\n    weight,\n    size,\n)"),
        SOURCE.replace("    return", '    """The first."""\n    return'),
        '"""A box."""\n' + SOURCE.replace("import os", "# why\nimport os"),
    ],
)
def test_layout_docstrings_imports_in_another_order_and_the_version_leave_a_program_the_same(new: str) -> None:
    assert same_program(change(SOURCE, new))


@pytest.mark.parametrize(
    "new",
    [
        SOURCE.replace("[0]", "[1]"),
        SOURCE.replace("import os\n", ""),
        SOURCE.replace("weight", "length"),
        SOURCE.replace("size, weight", "size as s, weight"),
        SOURCE.replace("core", ".core"),
        SOURCE.replace("__version__ = '1'", "__version__ = found()"),
        SOURCE.replace("__version__ = '1'", "class A:\n    VERSION = '1'"),
        "def (",
    ],
)
def test_anything_else_is_another_program(new: str) -> None:
    assert not same_program(change(SOURCE, new))


def test_a_class_is_compared_by_its_head_and_by_all_that_is_in_it() -> None:
    old = "class A(B):\n    VERSION = '1'\n\n    def f(self):\n        return 1\n"
    for new in (old.replace("(B)", "(C)"), old.replace("'1'", "'2'"), old.replace("return 1", "return 2"), f"@final\n{old}"):
        assert not same_program(change(old, new))
    assert same_program(change(old, old.replace("f(self)", "f(\n        self\n    )")))


def test_a_file_that_is_new_gone_or_no_python_is_never_the_same() -> None:
    assert not any(same_program(change(*pair)) for pair in ((None, SOURCE), (SOURCE, None), ("def (", "def (")))


@pytest.mark.parametrize(
    "new",
    [
        None,
        TESTS,
        "",
        TESTS.replace("    def test_b(self):\n        assert box.b()\n", ""),
        TESTS.replace("assert box.a() == 1", "assert (\n            box.a() == 1\n        )  # one"),
    ],
)
def test_tests_that_are_laid_out_anew_or_taken_away_say_nothing_new(new: str | None) -> None:
    assert tells_nothing_new(change(TESTS, new))


@pytest.mark.parametrize(
    "new",
    [
        TESTS.replace("== 1", "== 2"),
        TESTS.replace("        assert box.a() == 1\n", "        pass\n"),
        TESTS.replace("class TestBox", "class TestBox(Base)"),
        TESTS.replace("TestBox", "TestCrate"),
        TESTS + "\n\nLIMIT = 2\n",
        "import crate\n" + TESTS,
        "def (",
    ],
)
def test_a_test_that_changes_in_any_way_may_say_something_new(new: str) -> None:
    assert not tells_nothing_new(change(TESTS, new))


def test_a_new_test_module_says_something_new_unless_it_is_empty() -> None:
    assert not tells_nothing_new(change(None, TESTS))
    assert tells_nothing_new(change(None, "# to come\n"))
