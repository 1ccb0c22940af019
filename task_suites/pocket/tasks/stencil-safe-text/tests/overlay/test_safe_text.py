"""Safe and plain text mix in join and replace, and each piece is escaped once at most."""

import pytest

from stencil import DictLoader, Environment, Markup
from stencil.filters import join, replace

LINK = Markup('<a href="/">home</a>')


def render(source, *, autoescape=True, **variables):
    """Render a single template."""
    return Environment(DictLoader({"t": source}), autoescape=autoescape).render("t", variables)


def test_safe_items_stay_safe():
    assert render("{{ xs|join(', ') }}", xs=[LINK, LINK]) == f"{LINK}, {LINK}"


def test_plain_items_among_safe_ones_are_escaped():
    result = join([LINK, "<script>", "a & 'b'"], " ")
    assert isinstance(result, Markup)
    assert result == LINK + " &lt;script&gt; a &amp; &#x27;b&#x27;"


def test_plain_separator_between_safe_items_is_escaped():
    assert join([Markup("<b>"), Markup("<i>")], " <&> ") == "<b> &lt;&amp;&gt; <i>"


def test_safe_separator_makes_the_result_safe():
    result = join(["<a>", "b"], Markup("<br>"))
    assert isinstance(result, Markup)
    assert result == "&lt;a&gt;<br>b"
    assert render("{{ xs|join('<br>'|safe) }}", xs=["<a>", 2, None]) == "&lt;a&gt;<br>2<br>None"


def test_safe_separator_alone_is_enough():
    assert isinstance(join([], Markup("<br>")), Markup)
    assert join(["<"], Markup("<br>")) == "&lt;"


def test_items_may_be_read_only_once():
    assert join((item for item in ["<", Markup("<b>")]), ", ") == "&lt;, <b>"


def test_safe_entities_are_not_escaped_again():
    assert render("{{ xs|join }}", xs=[Markup("&amp;"), "&amp;"]) == "&amp;&amp;amp;"


@pytest.mark.parametrize("autoescape", [True, False])
def test_mixing_does_not_depend_on_the_environment(autoescape):
    assert render("{{ xs|join('|') }}", autoescape=autoescape, xs=["<", Markup("<b>")]) == "&lt;|<b>"
    assert render("{{ x|replace('-', '<br>'|safe) }}", autoescape=autoescape, x="<-") == "&lt;<br>"


def test_line_breaks_become_tags():
    source = "{{ text|replace(newline, '<br>'|safe) }}"
    assert render(source, text="a < b\n<i>\n", newline="\n") == "a &lt; b<br>&lt;i&gt;<br>"


@pytest.mark.parametrize(
    ("text", "old", "expected"),
    [
        ("<l", "l", "&lt;<b>"),
        ("a&b", "&", "a<b>b"),
        ("a&b", "amp", "a&amp;b"),
        ("x < y; z", ";", "x &lt; y<b> z"),
        ("'q'", "q", "&#x27;<b>&#x27;"),
    ],
)
def test_entities_are_not_taken_for_text(text, old, expected):
    result = replace(text, old, Markup("<b>"))
    assert isinstance(result, Markup)
    assert result == expected


def test_result_is_safe_where_nothing_is_found():
    result = replace("a < b", "-", Markup("<br>"))
    assert isinstance(result, Markup)
    assert result == "a &lt; b"


def test_safe_text_is_searched_as_it_is_written():
    result = replace(Markup("<b>x &amp; y</b>"), "&amp;", "<and>")
    assert isinstance(result, Markup)
    assert result == "<b>x &lt;and&gt; y</b>"
    assert replace(Markup("<b>x</b>"), "x", Markup("<i>y</i>")) == "<b><i>y</i></b>"


def test_safe_text_without_a_find_stays_safe():
    assert render("{{ x|replace('-', '+') }}", x=LINK) == LINK


def test_filters_in_a_row_escape_once():
    source = "{{ xs|join('-')|replace('-', '<br>'|safe) }}"
    assert render(source, xs=["<", "b"]) == "&lt;<br>b"
    assert render(source, xs=["<", Markup("<i>")]) == "&lt;<br><i>"


def test_plain_items_give_plain_text():
    result = join(["<", 1], "&")
    assert not isinstance(result, Markup)
    assert result == "<&1"


def test_plain_replace_gives_plain_text():
    result = replace("a<b", "<", "&")
    assert not isinstance(result, Markup)
    assert result == "a&b"


def test_plain_results_are_escaped_on_output_once():
    assert render("{{ xs|join('&') }} {{ x|replace('b', '<') }}", xs=["<", 1], x="ab") == "&lt;&amp;1 a&lt;"


def test_following_filters_see_plain_text():
    assert render("{{ xs|join('&')|length }}", xs=["<", ">"]) == "3"
