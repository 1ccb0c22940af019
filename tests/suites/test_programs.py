"""Pairs of sources: what is the same program, and which test modules only lose tests."""

from __future__ import annotations

import pytest

from harness.suites.programs import declares_alone, loses_tests_alone, same_program
from harness.tree import File, FileChange

SOURCE = (
    "import os\nimport sys\nfrom box.core import size, weight\n\n__version__ = '1'\n\n\ndef first(items):\n    return items[0]\n"
)
TESTS = (
    "import box\n\n\nclass TestBox:\n    def test_a(self):\n        assert box.a() == 1\n\n"
    "    def test_b(self):\n        assert box.b()\n\n\ndef test_c():\n    assert box.c()\n"
)
LONG = " + ".join(["'a'"] * 3000)


def change(old: str | None, new: str | None) -> FileChange:
    """A file that changes, or that is new or gone."""
    sides = [None if text is None else File(content=text.encode()) for text in (old, new)]
    return FileChange(path="x.py", old=sides[0], new=sides[1])


@pytest.mark.parametrize(
    "new",
    [
        SOURCE.replace("'1'", "'2'"),
        SOURCE.replace("'1'", "(2, 'b')"),
        SOURCE.replace("import os\nimport sys\n", "import sys, os\n"),
        SOURCE.replace("size, weight", "(\n    size,\n    weight,\n)"),
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
        SOURCE.replace("import sys\n", "").replace("__version__ = '1'\n", "__version__ = '1'\nimport sys\n"),
        SOURCE.replace("__version__ = '1'", "__version__ = found()"),
        SOURCE.replace("__version__ = '1'", "__version__ = (1, found())"),
        SOURCE.replace("__version__ = '1'\n", ""),
        SOURCE.replace("__version__ = '1'", "class A:\n    __version__ = '1'"),
        SOURCE + "X = 1\n",
        "def (",
    ],
)
def test_anything_else_is_another_program(new: str) -> None:
    assert not same_program(change(SOURCE, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("from a import x\nfrom b import x\n", "from b import x\nfrom a import x\n"),
        ("from os import x\nfrom re import x\nfrom os import x\n", "from os import x\nfrom re import x\n"),
        ("from .b import B\nfrom .a import A\n", "from .a import A\nfrom .b import B\n"),
        ("import box.b\nimport box.a\n", "import box.a\nimport box.b\n"),
        ("from a import *\nimport x\n", "import x\nfrom a import *\n"),
        ("import ssl\npatch()\nimport socket\n", "patch()\nimport socket\nimport ssl\n"),
        ("VERSION = 3\n", "VERSION = 4\n"),
        ("class A:\n    __version__ = '1'\n", "class A:\n    __version__ = '2'\n"),
        ("x = 1\nx = 2\n", "x = 2\nx = 1\n"),
        (f"X = {LONG}\n", f"X = {LONG}\n# more\n"),
        (f"X = 0x{'f' * 4000}\n", f"X = 0x{'f' * 4000}\n# more\n"),
    ],
)
def test_where_order_or_a_value_may_matter_or_a_tree_is_too_deep_to_compare_a_program_counts_as_another(
    old: str, new: str
) -> None:
    assert not same_program(change(old, new))


def test_a_file_that_is_new_gone_or_no_python_is_never_the_same() -> None:
    assert not any(same_program(change(*pair)) for pair in ((None, SOURCE), (SOURCE, None), ("def (", "def (")))


@pytest.mark.parametrize(
    "new",
    [
        TESTS,
        TESTS.replace("    def test_b(self):\n        assert box.b()\n", ""),
        TESTS.replace("def test_c():\n    assert box.c()\n", ""),
        TESTS.replace("assert box.a() == 1", "assert (\n            box.a() == 1\n        )  # one"),
    ],
)
def test_tests_that_are_laid_out_anew_or_taken_away_whole_say_nothing_new(new: str) -> None:
    assert loses_tests_alone(change(TESTS, new))


@pytest.mark.parametrize(
    "new",
    [
        TESTS.replace("== 1", "== 2"),
        TESTS.replace("        assert box.a() == 1\n", "        pass\n"),
        TESTS.replace("class TestBox", "class TestBox(Base)"),
        TESTS.replace("TestBox", "TestCrate"),
        TESTS + "\n\nLIMIT = 2\n",
        "import crate\n" + TESTS,
        TESTS[TESTS.index("def test_c") :] + TESTS[: TESTS.index("def test_c")],
        "def (",
    ],
)
def test_a_test_that_changes_in_any_way_may_say_something_new(new: str) -> None:
    assert not loses_tests_alone(change(TESTS, new))


@pytest.mark.parametrize(
    "lost",
    [
        "pytestmark = pytest.mark.xfail\n",
        "pytest.skip('later', allow_module_level=True)\n",
        "@pytest.fixture(autouse=True)\ndef healed(monkeypatch):\n    monkeypatch.setattr(box, 'c', bool)\n",
        "def helper():\n    pass\n",
        "from shim import box\n",
        "from marks import pytestmark\n",
        "@pytest.fixture\ndef test_box():\n    return box\n",
        "def test_c():\n    pytest.skip('the first of two')\n",
        "class TestMore(TestBox):\n    pass\n",
    ],
)
def test_what_may_have_kept_tests_from_failing_is_news_when_it_goes(lost: str) -> None:
    assert not loses_tests_alone(change(f"{TESTS}\n\n{lost}", TESTS))


@pytest.mark.parametrize(("parent", "whole"), [("Base", False), ("unittest.TestCase", True), ("TestCase", True)])
def test_a_method_that_may_hide_an_inherited_test_is_no_whole_test(parent: str, whole: bool) -> None:  # noqa: FBT001
    head = f"class TestIt({parent}):\n    x = 1\n"
    assert loses_tests_alone(change(f"{head}\n    def test_a(self):\n        pass\n", head)) is whole


def test_a_function_beside_a_star_may_hide_a_test_that_came_with_it() -> None:
    star = "from common import *\n"
    assert not loses_tests_alone(change(f"{star}\n\ndef test_a():\n    pass\n", star))


@pytest.mark.parametrize(
    ("old", "new", "alone"),
    [
        ("version = '1'\nparts = (1,)\n", "version = '2'\nparts = (2,)\n", True),
        (None, "version = '2'\n", True),
        ("class Version:\n    A = 1\n", "class Version:\n    A = 2\n", False),
        ("version = '1'\n", "def version():\n    return '2'\n", False),
        ("version = '1'\n", "def (", False),
    ],
)
def test_a_module_that_defines_anything_is_no_tools_version_file(old: str | None, new: str, alone: bool) -> None:  # noqa: FBT001
    assert declares_alone(change(old, new)) is alone


def test_the_mark_of_a_class_is_news_when_it_goes() -> None:
    head = "class TestIt:\n    __test__ = False\n    x = 1\n"
    assert not loses_tests_alone(change(head, head.replace("    __test__ = False\n", "")))


def test_versions_in_tests_are_values_that_they_expect() -> None:
    assert not loses_tests_alone(change(f"__version__ = '1'\n{TESTS}", f"__version__ = '2'\n{TESTS}"))


def test_a_new_test_module_always_says_something_new() -> None:
    assert not loses_tests_alone(change(None, TESTS))
