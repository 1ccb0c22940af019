import ast

import pytest

from harness.review.strip import stripped


def test_comments_and_docstrings_are_taken_out_and_nothing_else() -> None:
    source = '''#!/usr/bin/env python
"""Module
text."""
import os  # é: why

NOTE = "# not a comment"  # but this is


def f():
    """Says."""

    # a line of its own
    return """
# inside a string
"""
'''
    expected = '''import os

NOTE = "# not a comment"


def f():

    return """
# inside a string
"""
'''
    assert stripped(source.encode()).decode() == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('def f():\n    """Only."""  # and this\n', "def f():\n    ...\n"),
        ('def f(): "Only."\n', "def f(): ...\n"),
        ('class A: "x"; y = 1\n', "class A: ...; y = 1\n"),
        ('class A:\n    "x"; y = 1\n', "class A:\n    ...; y = 1\n"),
        ('"""Only."""\n', ""),
        ('def f():\n    """é"""; return 1  # ü\n', "def f():\n    ...; return 1\n"),
        ("x = 1  # last line", "x = 1"),
        ("x = 1\r\n# gone\r\n", "x = 1\n"),
        ("\ufeff# gone\nx = 1\n", "x = 1\n"),
        ("# coding: latin-1\nx = 1\n", "x = 1\n"),
    ],
)
def test_what_is_left_is_still_python(source: str, expected: str) -> None:
    found = stripped(source.encode()).decode()
    assert found == expected
    ast.parse(found)


def test_a_file_that_cannot_be_parsed_comes_back_as_it_is() -> None:
    for content in (b"def f(:  # x\n", b"# Heading\n\nSome text, no code.\n", b"\xff\n"):
        assert stripped(content) == content
