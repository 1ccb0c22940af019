"""Loops tell their body which round it is."""

import pytest

from stencil import DictLoader, Environment, TemplateError, UndefinedError

ROUND = "{{ loop.index }}/{{ loop.length }}"
ENDS = "{% if loop.first %}<{% endif %}{{ x }}{% if loop.last %}>{% else %},{% endif %}"


def render(source, **variables):
    """Render a single template."""
    return Environment(DictLoader({"t": source})).render("t", variables)


def looped(body, values):
    """Render a loop over ``values``."""
    return render("{% for x in xs %}" + body + "{% endfor %}", xs=values)


class Once:
    """An iterable without length that may be read once."""

    def __init__(self, *values):
        self.values = values
        self.reads = 0

    def __iter__(self):
        self.reads += 1
        assert self.reads == 1
        return iter(self.values)


@pytest.mark.parametrize(
    "values",
    [["a", "b", "c"], ("a", "b", "c"), "abc", {"a": 1, "b": 2, "c": 3}, dict.fromkeys("abc").keys()],
    ids=["list", "tuple", "text", "mapping", "view"],
)
def test_rounds_of_sized_values(values):
    assert looped(f"{{{{ x }}}}{ROUND} ", values) == "a1/3 b2/3 c3/3 "


def test_rounds_of_a_generator():
    assert looped(f"{ROUND} ", (letter for letter in "abc")) == "1/3 2/3 3/3 "
    assert looped(ENDS, (letter for letter in "abc")) == "<a,b,c>"


def test_values_are_read_once():
    assert looped(ENDS, Once("a", "b")) == "<a,b>"


def test_single_round_is_first_and_last():
    assert looped(ENDS, ["a"]) == "<a>"


def test_equal_values_do_not_confuse_the_loop():
    assert looped(ENDS, ["a", "a", "a"]) == "<a,a,a>"
    assert looped(ROUND, [1, True, 1.0]) == "1/32/33/3"


def test_first_and_last_are_true_and_false():
    assert looped("{{ loop.first }}{{ loop.last }} ", "ab") == "TrueFalse FalseTrue "


def test_nested_loop_counts_for_itself():
    source = "{% for r in rows %}{{ loop.index }}({% for c in r %}" + ROUND + "{% endfor %}){{ loop.index }}{% endfor %}"
    assert render(source, rows=["ab", "c"]) == "1(1/22/2)12(1/1)2"


def test_included_template_sees_the_round():
    loader = DictLoader({"t": "{% for x in xs %}{% include 'u' %}{% endfor %}", "u": ROUND + " "})
    assert Environment(loader).render("t", {"xs": "ab"}) == "1/2 2/2 "


def test_round_can_be_compared():
    assert looped("{% if loop.index == 2 %}{{ x }}{% endif %}", "abc") == "b"


def test_loop_is_unknown_after_the_loop():
    with pytest.raises(UndefinedError) as caught:
        render("{% for x in xs %}{{ loop.index }}{% endfor %}\n {{ loop.index }}", xs="ab")
    assert str(caught.value.position) == "t:2:2"


def test_loop_is_unknown_in_the_else_part():
    with pytest.raises(UndefinedError):
        render("{% for x in xs %}{% else %}{{ loop.index }}{% endfor %}", xs="")


def test_outside_the_name_is_the_applications():
    source = "{{ loop }}{% for x in xs %}{{ loop.index }}{% endfor %}{{ loop }}"
    assert render(source, loop="!", xs="ab") == "!12!"


def test_variable_of_that_name_wins():
    assert render("{% for loop in xs %}{{ loop }}{% endfor %}", xs="ab") == "ab"


@pytest.mark.parametrize("values", [[], "", {}, iter(())], ids=["list", "text", "mapping", "iterator"])
def test_loop_over_nothing_renders_its_else(values):
    assert render("{% for x in xs %}{{ x }}{% else %}none{% endfor %}", xs=values) == "none"


def test_loop_over_a_number_is_an_error():
    with pytest.raises(TemplateError) as caught:
        looped("{{ x }}", 5)
    assert str(caught.value.position) == "t:1:1"
