"""Tests of stencil.filters."""

import pytest

from stencil import DictLoader, Environment, Markup, TemplateError
from stencil.filters import default, join, length, replace, truncate


def render(source: str, **variables: object) -> str:
    """Render a single template."""
    return Environment(DictLoader({"t": source})).render("t", variables)


def test_default_stands_in_for_the_undefined():
    """What does not exist, or is none, gets the fallback."""
    assert render("{{ a|default('x') }}{{ b.c|default('y') }}", b=None) == "xy"


def test_default_keeps_a_zero():
    """A value that is merely zero stays."""
    assert default(0, 5) == 0


def test_join_puts_the_separator_between():
    """Values that are not text are converted."""
    assert join([1, "two", 3.5], ", ") == "1, two, 3.5"


def test_join_keeps_safe_items():
    """Safe items stay as they are, and the others are escaped."""
    assert join([Markup("<b>"), "<i>"], " ") == "<b> &lt;i&gt;"


def test_replace_exchanges_every_occurrence():
    """All occurrences are replaced."""
    assert replace("a-b-c", "-", "+") == "a+b+c"


def test_length_needs_a_sized_value():
    """A number has no length, and the error says where."""
    assert length([1, 2]) == 2
    with pytest.raises(TemplateError, match="t:1:1"):
        render("{{ 5|length }}")


def test_case_filters_change_the_case():
    """Upper and lower change all letters."""
    assert render("{{ 'aB'|upper }}{{ 'aB'|lower }}") == "ABab"


def test_truncate_cuts_at_a_space():
    """The text is cut between words, and the end counts."""
    assert truncate("the quick brown fox", 12) == "the quick..."


def test_truncate_leaves_short_text_alone():
    """Text that fits is returned as it is."""
    assert truncate("the quick", 9) == "the quick"
