import re
from textwrap import dedent

import pytest

from harness.style.ast_checks import CallsBanned, DefaultsMutable, FunctionMaxLines, HintsPublic, NamesOfTests, RaisesBanned
from harness.style.checks import SourceCheck
from harness.style.comment_checks import TodoForm
from harness.style.docstring_checks import DocstringOfTests, DocstringPublic, DocstringSummaryPeriod
from harness.style.import_checks import ImportsBanned
from harness.style.source import parsed


def symbols(check: SourceCheck, source: str) -> list[tuple[int, str]]:
    module = parsed(dedent(source).encode())
    assert module is not None
    return [(site.line, site.symbol) for site in check.sites(module)]


def test_a_public_function_class_and_method_without_docstring_are_found() -> None:
    source = '''
        def bare(): ...
        def told():
            """Says."""
        class Box:
            def lift(self): ...
            async def drop(self): ...
    '''
    assert symbols(DocstringPublic(), source) == [(2, "bare"), (5, "Box"), (6, "Box.lift"), (7, "Box.drop")]


def test_private_nested_and_overloading_definitions_need_no_docstring() -> None:
    source = '''
        def _hidden(): ...
        class _Hidden:
            def open(self): ...
        class Open:
            """Says."""
            def __init__(self): ...
            @property
            def size(self):
                """Says."""
            @size.setter
            def size(self, value): ...
            @typing.overload
            def get(self, key: int): ...
        def outer():
            """Says."""
            def inner(): ...
    '''
    assert symbols(DocstringPublic(), source) == []


def test_a_definition_under_a_condition_is_still_public() -> None:
    assert symbols(DocstringPublic(), "if True:\n    def f(): ...") == [(2, "f")]


def test_a_docstring_whose_first_line_has_no_period_is_found_at_its_definition() -> None:
    source = '''"""Module without"""
def f():
    """Fine.

    More
    """
class C:
    """
    First line on its own
    """
'''
    assert symbols(DocstringSummaryPeriod(), source) == [(1, "module"), (7, "C")]


def test_missing_annotations_of_public_functions_and_initialisers_are_named() -> None:
    source = """
        def f(a, b: int, *args, c, **kw) -> int: ...
        def g(a: int): ...
        class C:
            def __init__(self, size): ...
            def m(self, other: int) -> int: ...
            @staticmethod
            def s(first) -> None: ...
        def _private(a): ...
    """
    module = parsed(dedent(source).encode())
    assert module is not None
    assert [site.message for site in HintsPublic().sites(module)] == [
        "f has no annotation for a, c, args, kw",
        "g has no annotation for return",
        "C.__init__ has no annotation for size",
        "C.s has no annotation for first",
    ]


def test_a_banned_call_is_seen_through_import_aliases() -> None:
    source = """
        from datetime import datetime as clock
        import datetime
        import time as t
        def f():
            print("x")
            clock.now()
            datetime.datetime.now()
            t.sleep(1)
    """
    check = CallsBanned(names=("print", "datetime.now", "time.sleep"))
    assert symbols(check, source) == [(6, "f:print"), (7, "f:datetime.now"), (8, "f:datetime.now"), (9, "f:time.sleep")]


@pytest.mark.parametrize(
    "source", ["console.print(1)", "from rich import print\nprint(1)", "print", "snapshot.now()", "self.print()"]
)
def test_a_call_that_only_looks_like_a_banned_one_is_left_alone(source: str) -> None:
    assert symbols(CallsBanned(names=("print", "datetime.now")), source) == []


def test_a_banned_exception_is_found_raised_bare_or_called_but_not_caught() -> None:
    source = """
        def f():
            try:
                raise ValueError("x")
            except ValueError:
                raise ValueError
            raise
    """
    assert symbols(RaisesBanned(names=("ValueError",)), source) == [(4, "f:ValueError"), (6, "f:ValueError")]


def test_a_banned_import_covers_submodules_and_names() -> None:
    source = """
        import os.path
        import osmium
        from os import path
        from typing import Any, Iterable
        from .os import thing
    """
    check = ImportsBanned(names=("os", "typing.Any"))
    assert symbols(check, source) == [(2, ":os.path"), (4, ":os.path"), (5, ":typing.Any")]


def test_a_function_may_have_exactly_the_most_lines() -> None:
    source = "def long():\n    a = 1\n    return a\ndef short():\n    return 1\n"
    assert symbols(FunctionMaxLines(max=2), source) == [(1, "long")]
    assert symbols(FunctionMaxLines(max=3), source) == []


def test_tests_need_a_docstring_and_a_fitting_name_and_helpers_do_not() -> None:
    source = '''
        def helper(): ...
        def test_adds_two_numbers():
            """Says."""
        def testOld(): ...
        class TestBox:
            def test_x(self): ...
    '''
    assert symbols(DocstringOfTests(), source) == [(5, "testOld"), (7, "TestBox.test_x")]
    assert symbols(NamesOfTests(pattern=re.compile(r"test(_[a-z0-9]+){2,}")), source) == [(5, "testOld"), (7, "TestBox.test_x")]


def test_a_todo_in_a_comment_must_fit_and_one_in_a_string_is_no_comment() -> None:
    source = 'a = "# TODO later"\nb = 1  # TODO later\n# TODO(#12): cache\n# TODOs are listed elsewhere\n'
    assert symbols(TodoForm(pattern=re.compile(r"TODO\(#\d+\): \S")), source) == [(2, "# TODO later")]


def test_mutable_defaults_are_found_as_displays_and_as_calls() -> None:
    source = """
        import collections
        from collections import defaultdict as dd
        def f(a=[], b=(), *, c={}, d=dict(), e=dd(list), g=None, h=frozenset()): ...
    """
    assert [symbol for _, symbol in symbols(DefaultsMutable(), source)] == ["f(a)", "f(c)", "f(d)", "f(e)"]


@pytest.mark.parametrize("source", [b"def f(:", b"a = '\0'", b"\xff\xfe", b"# coding: nonsense\n", b"(" * 10_000])
def test_source_that_cannot_be_parsed_is_a_value(source: bytes) -> None:
    assert parsed(source) is None


def test_a_chain_of_thousands_of_branches_is_walked() -> None:
    source = "if a:\n    pass\n" + "elif a:\n    print()\n" * 400
    assert len(symbols(CallsBanned(names=("print",)), source)) == 400
