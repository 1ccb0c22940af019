"""Tests of stencil.lexer."""

import pytest

from stencil.errors import TemplateSyntaxError
from stencil.lexer import tokenize


def kinds_and_contents(source: str) -> list[tuple[str, str]]:
    """Return what the tokens of ``source`` hold."""
    return [(token.kind, token.content) for token in tokenize(source, "t")]


def test_source_is_cut_at_delimiters():
    """Text, output and tags become tokens in their order."""
    assert kinds_and_contents("a {{ b }} c{% if d %}") == [
        ("text", "a "),
        ("output", "b"),
        ("text", " c"),
        ("tag", "if d"),
    ]


def test_comments_are_left_out():
    """A comment may hold anything, and leaves nothing."""
    assert kinds_and_contents("a{# {{ b }} #}c") == [("text", "a"), ("text", "c")]


def test_hyphens_trim_surrounding_space():
    """White space goes on the side of the hyphen only."""
    assert kinds_and_contents("a \n{%- if b %} c {{ d -}}\n e") == [
        ("text", "a"),
        ("tag", "if b"),
        ("text", " c "),
        ("output", "d"),
        ("text", "e"),
    ]


def test_position_counts_lines_and_columns():
    """Lines and columns of a tag inside a line count from one."""
    tokens = list(tokenize("one\ntwo {{ a }}", "t"))
    assert str(tokens[1].position) == "t:2:5"


def test_tag_opening_a_line_is_in_column_one():
    """A tag right after a line break belongs to the new line."""
    tokens = list(tokenize("one\n{{ a }}", "t"))
    assert str(tokens[1].position) == "t:2:1"


def test_open_delimiter_is_an_error():
    """The error points at the delimiter that is never closed."""
    with pytest.raises(TemplateSyntaxError) as caught:
        list(tokenize("text {{ a", "t"))
    assert str(caught.value.position) == "t:1:6"
