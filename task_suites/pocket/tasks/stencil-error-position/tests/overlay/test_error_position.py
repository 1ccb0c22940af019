"""Errors point at the first character of their delimiter."""

import pytest

from stencil import DictLoader, Environment, TemplateSyntaxError, UndefinedError
from stencil.lexer import tokenize


def place_of(source, **others):
    """Return line and column of the undefined name in ``source``."""
    with pytest.raises(UndefinedError) as caught:
        Environment(DictLoader({"t": source, **others})).render("t", {"yes": True})
    return caught.value.position.line, caught.value.position.column


@pytest.mark.parametrize(
    ("source", "place"),
    [
        ("one\n{{ x }}", (2, 1)),
        ("\n{{ x }}", (2, 1)),
        ("one\n\n\n{{ x }}", (4, 1)),
        ("one\r\n{{ x }}", (2, 1)),
        ("{{ yes }}\n{{ x }}", (2, 1)),
        ("{# note #}\n{{ x }}", (2, 1)),
    ],
)
def test_delimiter_opening_a_line_is_in_column_one(source, place):
    assert place_of(source) == place


@pytest.mark.parametrize("separator", ["\f", "\v", "\x1c", "\x85", "\u2028", "\u2029", "\r"], ids=ascii)
def test_only_a_line_feed_ends_a_line(separator):
    assert place_of(f"a{separator}b\nc{separator}d {{{{ x }}}}") == (2, 5)


def test_separator_right_before_the_delimiter_is_a_character():
    assert place_of("ab\u2028{{ x }}") == (1, 4)
    assert place_of("ab\n\f{{ x }}") == (2, 2)


def test_lines_inside_comments_and_tags_count():
    assert place_of("{# one\ntwo\n#}\n{% if\nyes\n%}\n{{ x }}{% endif %}") == (7, 1)


def test_second_tag_of_a_line_counts_from_its_start():
    assert place_of("one\n{{ yes }}{{ x }}") == (2, 10)


def test_missing_end_is_reported_at_its_opening_line():
    with pytest.raises(TemplateSyntaxError) as caught:
        Environment(DictLoader({"t": "a\n{% if yes %}\nb\n"})).render("t", {"yes": 1})
    assert str(caught.value.position) == "t:2:1"


def test_open_delimiter_at_the_beginning_of_a_line():
    with pytest.raises(TemplateSyntaxError) as caught:
        list(tokenize("a\n\n{# b", "t"))
    assert str(caught.value.position) == "t:3:1"


def test_text_after_a_line_break_starts_in_column_one():
    tokens = list(tokenize("{{ a }}\n{{ b }}c", "t"))
    assert [(token.position.line, token.position.column) for token in tokens] == [(1, 1), (1, 8), (2, 1), (2, 8)]


def test_very_first_delimiter_is_at_one_one():
    assert place_of("{{ x }}") == (1, 1)


@pytest.mark.parametrize(("source", "place"), [("ab{{ x }}", (1, 3)), ("one\ntwo {{ x }}", (2, 5)), ("a\n\n b{{ x }}", (3, 3))])
def test_delimiter_inside_a_line_is_as_before(source, place):
    assert place_of(source) == place


def test_included_template_counts_its_own_lines():
    assert place_of("a\nb\nc {% include 'u' %}", u="one\n  {{ x }}") == (2, 3)
