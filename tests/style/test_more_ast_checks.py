"""Checks of docstring form, imports, names, comments and syntax; and the places that a calibration divides by."""

from textwrap import dedent

import pytest
from pydantic import ValidationError

from harness.style.ast_checks import CHECKS
from harness.style.checks import SourceCheck
from harness.style.source import parsed
from harness.tree import File


def check(name: str, /, **given: object) -> SourceCheck:
    return CHECKS[name].model_validate(given)


def lines(rule: SourceCheck, source: str) -> list[int]:
    module = parsed(dedent(source).encode())
    assert module is not None
    return [site.line for site in rule.sites(module)]


def places(rule: SourceCheck, source: str) -> list[str]:
    return list(rule.chances(File(content=dedent(source).encode())))


FORMS = '''
def google():
    """Do.

    Args:
        a: One.
    """
def numpy():
    """
    Do.

    Parameters
    ----------
    a : int
    """
def sphinx():
    """Do.

    :param a: One.
    """
def plain():
    """Do: returns nothing special."""
'''


@pytest.mark.parametrize(("style", "wrong"), [("google", [8, 16]), ("numpy", [2, 16]), ("sphinx", [2, 8])])
def test_docstrings_with_sections_are_of_one_style(style: str, wrong: list[int]) -> None:
    assert lines(check("docstring.style", style=style), FORMS) == wrong
    assert len(places(check("docstring.style", style=style), FORMS)) == 3


def test_quotes_of_longer_docstrings_stand_on_lines_of_their_own() -> None:
    assert lines(check("docstring.quotes_on_own_lines"), FORMS) == [2, 16]
    assert places(check("docstring.quotes_on_own_lines"), FORMS) == ["google", "numpy", "sphinx"]


def test_a_module_with_statements_has_a_docstring() -> None:
    rule = check("docstring.module")
    assert [lines(rule, source) for source in ("", "# only a comment\n", "x = 1\n", '"""Says."""\nx = 1\n')] == [[], [], [1], []]


def test_definitions_of_one_kind_are_named_alike_and_pythons_own_are_excused() -> None:
    source = """
        class Good:
            def __init__(self): ...
            def camelCase(self): ...
        class bad: ...
        def fine(): ...
    """
    assert lines(check("naming.definitions", of="function", pattern="[a-z_]+"), source) == [4]
    assert lines(check("naming.definitions", of="class", pattern="[A-Z][A-Za-z]+"), source) == [5]
    assert places(check("naming.definitions", of="function", pattern="x"), source) == ["Good.camelCase", "fine"]


def test_imports_stand_at_the_top_are_required_and_have_one_form() -> None:
    source = """
        '''Says.'''
        import os, json
        from typing import Any
        def f():
            import re
            class C:
                import sys
    """
    assert lines(check("imports.top_level"), source) == [6]
    assert lines(check("imports.required", names=["__future__.annotations", "typing.Any"]), source) == [1]
    assert lines(check("imports.required", names=["__future__.annotations"]), "'''Only words.'''\n") == []
    assert lines(check("imports.form", modules=["typing", "os"], form="module"), source) == [4]
    assert lines(check("imports.form", modules=["typing", "os"], form="names"), source) == [3]
    assert places(check("imports.form", modules=["typing", "os"], form="names"), source) == [":os", ":typing"]


def test_kinds_of_syntax_are_banned_by_pythons_names_and_unknown_ones_are_refused() -> None:
    source = "x = 1 if y else 2\nf = lambda: 0\nglobal_name = 3\n"
    assert lines(check("syntax.banned", nodes=["IfExp", "Lambda"]), source) == [1, 2]
    with pytest.raises(ValidationError, match="no kind of syntax 'Ternary'"):
        check("syntax.banned", nodes=["Ternary"])


def test_parameters_are_counted_without_self() -> None:
    source = """
        def three(a, /, b, *, c): ...
        class C:
            def two(self, a, *rest): ...
            @staticmethod
            def also(a, b, **more): ...
    """
    assert lines(check("function.max_parameters", max=2), source) == [2, 6]
    assert places(check("function.max_parameters", max=2), source) == ["three", "C.two", "C.also"]


def test_commented_out_code_is_told_from_prose() -> None:
    source = """
        # x = compute(1)
        # return value
        # for item in things:
        # import os
        # call(a, b)
        # A sentence about something.
        # words
        # if it rains, we stay
        # see f(x) for more
        # (an aside)
        # type: ignore
        # 1.
        y = 2  # y = 3
    """
    assert lines(check("comments.no_code"), source) == [2, 3, 4, 5, 6]
    assert len(places(check("comments.no_code"), source)) == 13


def test_comments_may_be_forbidden_by_pattern() -> None:
    assert lines(check("comments.forbidden", pattern=r"={5}"), "# =====\n# fine\nx = '====='\n") == [1]


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [
        ("docstring.public", {}, ["f", "C", "C.m"]),
        ("hints.public", {}, ["f", "C.m"]),
        ("docstring.summary_period", {}, ["C"]),
        ("function.max_lines", {"max": 3}, ["f", "C.m", "_g", "test_it"]),
        ("defaults.mutable", {}, ["f", "C.m", "_g", "test_it"]),
        ("tests.docstring", {}, ["test_it"]),
        ("tests.naming", {"pattern": "x"}, ["test_it"]),
        ("comments.todo_form", {"pattern": "x"}, ["# TODO: this"]),
        ("calls.banned", {"names": ["print"]}, ["file"]),
        ("raises.banned", {"names": ["print"]}, ["file"]),
        ("imports.banned", {"names": ["print"]}, ["file"]),
    ],
)
def test_the_places_of_a_rule_are_where_it_could_be_broken_and_of_a_ban_the_file(
    name: str, given: dict[str, object], expected: list[str]
) -> None:
    source = """
        def f(a): ...
        class C:
            '''Says.'''
            def m(self): ...
        def _g(): ...  # TODO: this
        def test_it(): ...
    """
    found = places(check(name, **given), source)
    assert [item for item in found if item != "test_it" or "test_it" in expected] == expected


def test_a_file_that_cannot_be_parsed_has_no_places() -> None:
    assert places(check("docstring.public"), "def (:\n") == []
