"""The default filter stands in for what is missing, and for nothing else."""

import pytest

from stencil import DictLoader, Environment
from stencil.filters import default


def render(source, **variables):
    """Render a single template."""
    return Environment(DictLoader({"t": source})).render("t", variables)


class Falsy:
    """An object that exists and yet counts as false."""

    def __bool__(self):
        return False

    def __str__(self):
        return "falsy"

    def __eq__(self, other):
        return True

    __hash__ = None


@pytest.mark.parametrize("value", [0, 0.0, False, "", [], {}, ()], ids=repr)
def test_empty_value_is_returned_itself(value):
    assert default(value, "x") is value


def test_object_that_counts_as_false_is_returned_itself():
    value = Falsy()
    assert default(value, "x") is value


@pytest.mark.parametrize(("value", "output"), [(0, "0"), (False, "False"), ("", ""), (Falsy(), "falsy")])
def test_empty_value_is_output(value, output):
    assert render("[{{ a|default('x') }}]", a=value) == f"[{output}]"


def test_empty_value_at_the_end_of_a_path_is_output():
    assert render("{{ item.stock|default('unknown') }}", item={"stock": 0}) == "0"


def test_condition_sees_the_empty_value():
    assert render("{% if a|default(1) %}yes{% else %}no{% endif %}", a=0) == "no"
    assert render("{% if a|default(1) == 0 %}yes{% endif %}", a=0) == "yes"


def test_later_filter_sees_the_empty_value():
    assert render("{{ a|default('xyz')|length }}", a=[]) == "0"


def test_argument_may_be_an_empty_value():
    assert render("{{ a|default(b|default('x')) }}", a=None, b=0) == "0"


@pytest.mark.parametrize("source", ["{{ b|default('x') }}", "{{ a.c|default('x') }}", "{{ b.c.d|default('x') }}"])
def test_undefined_gets_the_fallback(source):
    assert render(source, a={}) == "x"


def test_none_gets_the_fallback():
    assert default(None, "x") == "x"
    assert render("{{ a|default('x') }}{{ none|default('y') }}", a=None) == "xy"


def test_fallback_may_be_empty():
    assert render("[{{ a|default('') }}{{ a|default(0) }}]") == "[0]"


def test_true_value_comes_out_as_it_is():
    assert render("{{ a|default('x')|upper }}", a="text") == "TEXT"
