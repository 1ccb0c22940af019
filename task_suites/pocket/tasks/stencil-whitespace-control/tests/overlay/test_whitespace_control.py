"""Hyphens inside delimiters take white space away."""

import pytest

from stencil import DictLoader, Environment, TemplateSyntaxError, UndefinedError
from stencil.lexer import tokenize


def render(source, **variables):
    """Render a single template."""
    return Environment(DictLoader({"t": source})).render("t", variables)


def tokens(source):
    """Return kind and content of the tokens."""
    return [(token.kind, token.content) for token in tokenize(source, "t")]


@pytest.mark.parametrize(
    ("source", "output"),
    [
        ("a \n\t {{- 1 }} b", "a1 b"),
        ("a {{ 1 -}} \r\n b", "a 1b"),
        ("a {{- 1 -}} b", "a1b"),
        ("a {%- if 1 %} b {% endif -%} c", "a b c"),
        ("a {% if 1 -%} b {%- endif %} c", "a b c"),
        ("a\n{#- note -#}\nb", "ab"),
        ("a {#- note #} b", "a b"),
        ("a {# note -#} b", "a b"),
    ],
)
def test_hyphen_removes_space_on_its_side(source, output):
    assert render(source) == output


def test_comment_trims_what_follows():
    assert render("a{# note -#} \n b") == "ab"
    assert render("{#--#} \n b") == "b"


def test_list_comes_out_on_plain_lines():
    source = "Items:\n{%- for x in xs %}\n  {%- if x %}\n- {{ x }}\n  {%- endif %}\n{%- endfor %}\nEnd"
    assert render(source, xs=["a", "", "b"]) == "Items:\n- a\n- b\nEnd"


def test_space_beyond_the_next_delimiter_stays():
    assert render("{{ 1 -}}{{ 2 }} {{ 3 }}") == "12 3"
    assert render("{{ 1 -}} {# note #} {{ 2 }}") == "1 2"


def test_trimming_stops_at_a_visible_character():
    assert render("{{ 1 -}} a  b {{- 2 }}") == "1a  b2"


def test_space_in_values_is_never_touched():
    assert render("{{ a -}} {{- a }}", a=" x ") == " x  x "


def test_text_that_becomes_empty_yields_no_token():
    assert tokens("{{ a -}} \n {{- b }}") == [("output", "a"), ("output", "b")]
    assert tokens(" \n{{- a -}}\n ") == [("output", "a")]


def test_content_is_without_hyphen():
    assert tokens("{{-a-}}{%-if b-%}{%- endif -%}") == [("output", "a"), ("tag", "if b"), ("tag", "endif")]


def test_positions_are_those_of_the_source():
    with pytest.raises(UndefinedError) as caught:
        render("a\n\n   {{- 1 -}}\n\n  {{- x }}")
    assert str(caught.value.position) == "t:5:3"


def test_open_trimming_delimiter_is_an_error():
    with pytest.raises(TemplateSyntaxError) as caught:
        render("{{ 1 -}}\n {{- a")
    assert str(caught.value.position) == "t:2:2"


def test_open_delimiter_is_an_error():
    with pytest.raises(TemplateSyntaxError) as caught:
        render("a {# b")
    assert str(caught.value.position) == "t:1:3"


@pytest.mark.parametrize("source", ["{{ - a }}", "{{ a - }}{{ a - b }}", "{{ a-b }}"])
def test_hyphen_elsewhere_is_an_error(source):
    with pytest.raises(TemplateSyntaxError):
        render(source, a=1, b=2)


def test_without_hyphens_nothing_is_removed():
    assert render(" a \n{{ 1 }}\n {% if 1 %} b {% endif %} {# c #} ") == " a \n1\n  b   "


def test_hyphens_in_text_and_strings_stay():
    assert render("- a - {{ '-b-' }} -") == "- a - -b- -"
