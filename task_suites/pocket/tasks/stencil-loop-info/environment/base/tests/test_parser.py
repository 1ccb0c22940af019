"""Tests of stencil.parser."""

import pytest

from stencil import DictLoader, Environment, TemplateSyntaxError


@pytest.mark.parametrize(
    ("source", "position"),
    [
        ("a{% endif %}", "t:1:2"),
        ("{% if a %}b", "t:1:1"),
        ("a\n{% if a %}{% endfor %}", "t:2:11"),
        ("{% for in b %}{% endfor %}", "t:1:1"),
        ("{% wrong %}", "t:1:1"),
        ("{{ }}", "t:1:1"),
        ("{{ a b }}", "t:1:1"),
        ("{{ a|default('x' }}", "t:1:1"),
        ("{{ a ? b }}", "t:1:1"),
        ("{% if a == %}{% endif %}", "t:1:1"),
    ],
)
def test_nonsense_is_reported_at_its_tag(source, position):
    """Each mistake raises a syntax error with its place."""
    with pytest.raises(TemplateSyntaxError) as caught:
        Environment(DictLoader({"t": source})).render("t")
    assert str(caught.value.position) == position
