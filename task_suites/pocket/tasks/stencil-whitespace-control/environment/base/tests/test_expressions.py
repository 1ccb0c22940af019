"""Tests of stencil.expressions."""

from types import SimpleNamespace

import pytest

from stencil import DictLoader, Environment, UndefinedError


def render(source: str, **variables: object) -> str:
    """Render a single template."""
    return Environment(DictLoader({"t": source})).render("t", variables)


def test_dots_reach_into_keys_indexes_and_attributes():
    """Each part of a dotted name may be found in its own way."""
    value = {"items": [SimpleNamespace(name="tea")]}
    assert render("{{ a.items.0.name }}", a=value) == "tea"


@pytest.mark.parametrize("source", ["{{ b }}", "{{ a.x }}", "{{ a.9 }}", "{{ a.__class__ }}"])
def test_unknown_names_are_undefined(source):
    """Missing and private names are errors."""
    with pytest.raises(UndefinedError):
        render(source, a=[1])


def test_literals_render_as_their_text():
    """Strings take either quote, numbers may have a fraction."""
    assert render("{{ 'a' }}{{ \"b\" }}{{ 1 }}{{ 2.5 }}{{ true }}") == "ab12.5True"


def test_filters_apply_from_left_to_right():
    """The second filter gets what the first one made."""
    assert render("{{ 'Ab'|upper|replace('B', 'c') }}") == "Ac"


def test_unknown_filter_is_undefined():
    """A filter nobody knows is an error."""
    with pytest.raises(UndefinedError):
        render("{{ 1|nothing }}")
