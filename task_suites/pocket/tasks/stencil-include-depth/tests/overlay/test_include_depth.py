"""At most fifty includes are open inside one another."""

import pytest

from stencil import DictLoader, Environment, TemplateError, UndefinedError

TREE = "{{ node.name }}{% for node in node.answers %}({% include 'tree' %}){% endfor %}"


def chain(includes, last="end"):
    """Return an environment in which ``t0`` starts that many includes, one in the other."""
    sources = {f"t{place}": f"{place}\n {{% include 't{place + 1}' %}}" for place in range(includes)}
    return Environment(DictLoader({**sources, f"t{includes}": last}))


def error_of(sources, variables=None, start="a"):
    """Return the error of rendering ``start``."""
    with pytest.raises(TemplateError) as caught:
        Environment(DictLoader(sources)).render(start, variables)
    return caught.value


def thread(depth):
    """Return a comment with one answer below the other."""
    comment = {"name": "c", "answers": []}
    for _ in range(depth):
        comment = {"name": "c", "answers": [comment]}
    return comment


def test_template_that_includes_itself_is_an_error():
    error = error_of({"a": "one\n two {% include 'a' %}"})
    assert str(error.position) == "a:2:6"
    assert "a" in error.message


def test_templates_that_include_each_other_are_an_error():
    error = error_of({"a": "{% include 'bee' %}", "bee": "\n\n{{ 1 }}{% include 'a' %}"})
    # the fiftieth include is of 'a', so the one too many stands there
    assert str(error.position) == "a:1:1"
    assert "bee" in error.message


def test_error_has_no_recursion_error_behind_it():
    error = error_of({"a": "{% if 1 %}{% for x in xs %}{% include 'a' %}{% endfor %}{% endif %}"}, {"xs": "ab"})
    while error is not None:
        assert not isinstance(error, RecursionError)
        error = error.__cause__ or error.__context__


def test_fifty_are_fine_and_one_more_is_not():
    assert chain(50).render("t0").endswith("49\n end")
    with pytest.raises(TemplateError) as caught:
        chain(51).render("t0")
    assert str(caught.value.position) == "t50:2:2"
    assert "t51" in caught.value.message


def test_template_too_deep_is_not_rendered():
    seen = []
    loader = DictLoader({"a": "{{ 1|note }}{% include 'a' %}"})
    environment = Environment(loader, filters={"note": seen.append})
    with pytest.raises(TemplateError):
        environment.render("a")
    # the template that was asked for, and fifty includes
    assert len(seen) == 51


def test_tree_of_fifty_levels_is_rendered_and_a_deeper_one_not():
    environment = Environment(DictLoader({"tree": TREE}))
    assert environment.render("tree", {"node": thread(50)}) == "(".join("c" * 51) + ")" * 50
    with pytest.raises(TemplateError):
        environment.render("tree", {"node": thread(51)})


def test_environment_can_be_used_after_the_error():
    environment = Environment(DictLoader({"a": "{% if again %}{% include 'a' %}{% else %}done{% endif %}"}))
    for _ in range(3):
        with pytest.raises(TemplateError):
            environment.render("a", {"again": True})
        assert environment.render("a", {"again": False}) == "done"


def test_name_may_come_from_a_variable():
    error = error_of({"a": "{% include next %}", "b": "{% include next %}"}, {"next": "b"})
    assert str(error.position) == "b:1:1"


def test_includes_in_turn_do_not_count():
    source = "{% for x in xs %}{% include 'u' %}{% include 'u' %}{% endfor %}"
    environment = Environment(DictLoader({"t": source, "u": "."}))
    assert environment.render("t", {"xs": range(100)}) == "." * 200


def test_tree_that_ends_is_rendered():
    tree = {"name": "a", "answers": [{"name": "b", "answers": []}, thread(2)]}
    assert Environment(DictLoader({"tree": TREE})).render("tree", {"node": tree}) == "a(b)(c(c(c)))"


def test_same_template_in_two_branches_is_fine():
    sources = {"t": "{% include 'l' %}{% include 'r' %}", "l": "[{% include 'x' %}]", "r": "({% include 'x' %})", "x": "x"}
    assert Environment(DictLoader(sources)).render("t") == "[x](x)"


def test_missing_template_is_reported_as_before():
    with pytest.raises(UndefinedError) as caught:
        chain(3, last="\n{{ 1 }} {% include 'nowhere' %}").render("t0")
    assert str(caught.value.position) == "t3:2:9"


def test_error_in_an_included_template_keeps_its_place():
    with pytest.raises(UndefinedError) as caught:
        chain(10, last="a {{ x }}").render("t0")
    assert str(caught.value.position) == "t10:1:3"
