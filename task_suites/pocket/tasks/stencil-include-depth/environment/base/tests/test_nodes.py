"""Tests of stencil.nodes, rendered through an environment."""

import pytest

from stencil import DictLoader, Environment, TemplateError


def render(source: str, **variables: object) -> str:
    """Render a single template."""
    return Environment(DictLoader({"t": source})).render("t", variables)


def test_first_true_branch_is_rendered():
    """The branches of a condition are tried in order."""
    source = "{% if a %}A{% elif b == 2 %}B{% elif not c %}C{% else %}D{% endif %}"
    assert render(source, a=1, b=2, c=0) == "A"
    assert render(source, a=0, b=2, c=0) == "B"
    assert render(source, a=0, b=1, c=0) == "C"
    assert render(source, a=0, b=1, c=1) == "D"


def test_loop_renders_its_body_for_each_value():
    """The loop variable holds one value after the other."""
    assert render("{% for x in xs %}<{{ x }}>{% endfor %}", xs=[1, 2]) == "<1><2>"


def test_empty_loop_renders_its_else():
    """The else branch shows only where there was nothing."""
    source = "{% for x in xs %}{{ x }}{% else %}none{% endfor %}"
    assert render(source, xs=[]) == "none"
    assert render(source, xs=[1]) == "1"


def test_loop_tells_its_rounds():
    """Index and length are known in each round."""
    source = "{% for x in xs %}{{ loop.index }}/{{ loop.length }} {% endfor %}"
    assert render(source, xs="ab") == "1/2 2/2 "


def test_loop_knows_its_last_round():
    """A separator can be left out after the last value."""
    source = "{% for x in xs %}{{ x }}{% if not loop.last %}, {% endif %}{% endfor %}"
    assert render(source, xs=[1, 2, 3]) == "1, 2, 3"


def test_loop_variable_hides_the_outer_one():
    """After the loop the outer variable is back."""
    assert render("{% for x in xs %}{{ x }}{% endfor %}{{ x }}", x="o", xs=[1, 2]) == "12o"


def test_loop_over_a_number_is_an_error():
    """What cannot be iterated is reported at the tag."""
    with pytest.raises(TemplateError, match="t:1:3"):
        render("a {% for x in 5 %}{% endfor %}")


def test_none_renders_as_nothing():
    """None has no text."""
    assert render("[{{ a }}]", a=None) == "[]"
