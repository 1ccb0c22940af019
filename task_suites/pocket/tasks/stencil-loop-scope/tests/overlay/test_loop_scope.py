"""What a loop defines is known in its body only."""

from types import MappingProxyType

import pytest

from stencil import DictLoader, Environment, UndefinedError


def render(source, **variables):
    """Render a single template."""
    return Environment(DictLoader({"t": source})).render("t", variables)


def test_outer_variable_is_back_after_the_loop():
    assert render("{{ x }}{% for x in xs %}{{ x }}{% endfor %}{{ x }}", x="o", xs="ab") == "oabo"


def test_variable_is_undefined_after_the_loop():
    with pytest.raises(UndefinedError) as caught:
        render("{% for x in xs %}{{ x }}{% endfor %} {{ x }}", xs="ab")
    assert str(caught.value.position) == "t:1:38"


def test_default_applies_after_the_loop():
    assert render("{% for x in xs %}{{ x }}{% endfor %}{{ x|default('none') }}", xs="ab") == "abnone"


def test_loop_is_unknown_after_the_loop():
    with pytest.raises(UndefinedError):
        render("{% for x in xs %}{{ loop.index }}{% endfor %}{{ loop.index }}", xs="ab")


def test_variable_called_loop_is_back():
    assert render("{% for x in xs %}{{ loop.index }}{% endfor %}{{ loop }}", loop="!", xs="ab") == "12!"


def test_outer_none_is_still_none():
    assert render("{% for x in xs %}{{ x }}{% endfor %}[{{ x }}]", x=None, xs="ab") == "ab[]"


def test_nested_loop_with_the_same_variable():
    source = "{% for x in xs %}{{ x }}({% for x in ys %}{{ x }}{% endfor %}){{ x }} {% endfor %}"
    assert render(source, xs="ab", ys="12") == "a(12)a b(12)b "


def test_outer_loop_is_back_after_the_inner_one():
    source = "{% for x in xs %}{% for y in ys %}{% endfor %}{{ loop.index }}/{{ loop.length }} {% endfor %}"
    assert render(source, xs="ab", ys="123") == "1/2 2/2 "


def test_loop_in_an_included_template_changes_nothing_outside():
    loader = DictLoader({"t": "{{ x }}{% include 'u' %}{{ x }}", "u": "{% for x in xs %}{{ x }}{% endfor %}"})
    assert Environment(loader).render("t", {"x": "o", "xs": "ab"}) == "oabo"


def test_included_loop_leaves_the_loop_around_it_alone():
    loader = DictLoader(
        {
            "t": "{% for x in xs %}{% include 'u' %}{{ x }}{{ loop.index }} {% endfor %}",
            "u": "{% for x in ys %}{{ x }}{% endfor %}",
        }
    )
    assert Environment(loader).render("t", {"xs": "ab", "ys": "123"}) == "123a1 123b2 "


def test_loop_over_its_own_name():
    assert render("{% for x in x %}{{ x }}{% endfor %}{{ x }}", x="ab") == "abab"


def test_condition_after_the_loop_sees_the_outer_value():
    source = "{% for x in xs %}{% endfor %}{% if x == 'o' %}yes{% else %}no{% endif %}"
    assert render(source, x="o", xs="ab") == "yes"


def test_loop_over_nothing_changes_nothing():
    assert render("{% for x in xs %}{% else %}{{ x }}{% endfor %}{{ x }}", x="o", xs="") == "oo"


def test_included_template_sees_the_loops_around_it():
    loader = DictLoader(
        {"t": "{% for x in xs %}{% for y in ys %}{% include 'u' %}{% endfor %}{% endfor %}", "u": "{{ x }}{{ y }}{{ z }} "}
    )
    assert Environment(loader).render("t", {"xs": "ab", "ys": "12", "z": "!"}) == "a1! a2! b1! b2! "


def test_mapping_of_the_caller_is_not_changed():
    variables = {"xs": "ab", "x": "o"}
    Environment(DictLoader({"t": "{% for x in xs %}{% for y in xs %}{% endfor %}{% endfor %}"})).render("t", variables)
    assert variables == {"xs": "ab", "x": "o"}


def test_mapping_may_be_read_only():
    variables = MappingProxyType({"xs": "ab"})
    assert Environment(DictLoader({"t": "{% for x in xs %}{{ x }}{% endfor %}"})).render("t", variables) == "ab"


def test_two_renderings_do_not_see_each_other():
    environment = Environment(DictLoader({"t": "{{ x|default('none') }}{% for x in xs %}{{ x }}{% endfor %}"}))
    assert [environment.render("t", {"xs": "ab"}) for _ in range(2)] == ["noneab", "noneab"]
