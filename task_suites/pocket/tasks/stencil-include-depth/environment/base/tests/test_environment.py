"""Tests of stencil.environment."""

import pytest

from stencil import DictLoader, Environment, Markup, UndefinedError


def test_output_is_escaped_by_default():
    """Plain text is escaped, safe text is not."""
    environment = Environment(DictLoader({"t": "{{ a }}{{ b }}{{ a|safe }}"}))
    assert environment.render("t", {"a": "<", "b": Markup("<")}) == "&lt;<<"


def test_escaping_can_be_switched_off():
    """Plain text templates leave their output alone."""
    environment = Environment(DictLoader({"t": "{{ a }}"}), autoescape=False)
    assert environment.render("t", {"a": "<"}) == "<"


def test_included_template_sees_variables_in_reach():
    """An include inside a loop sees the loop variable."""
    sources = {"t": "{% for x in xs %}{% include 'u' %}{% endfor %}", "u": "({{ x }})"}
    assert Environment(DictLoader(sources)).render("t", {"xs": [1, 2]}) == "(1)(2)"


def test_error_points_into_the_included_template():
    """The position names the template in which the error is."""
    environment = Environment(DictLoader({"t": "{% include 'u' %}", "u": "a\n {{ x }}"}))
    with pytest.raises(UndefinedError) as caught:
        environment.render("t")
    assert str(caught.value.position) == "u:2:2"


def test_missing_include_is_reported_at_its_tag():
    """The error points at the include."""
    environment = Environment(DictLoader({"t": "ab{% include 'u' %}"}))
    with pytest.raises(UndefinedError) as caught:
        environment.render("t")
    assert str(caught.value.position) == "t:1:3"


def test_unknown_template_is_a_lookup_error():
    """Asking for a template that does not exist is the caller's mistake."""
    with pytest.raises(LookupError):
        Environment(DictLoader({})).render("t")


def test_own_filters_can_be_added():
    """A filter is any function of a value."""
    loader = DictLoader({"t": "{{ 2|twice }}"})
    environment = Environment(loader, filters={"twice": lambda number: number * 2})
    assert environment.render("t") == "4"
