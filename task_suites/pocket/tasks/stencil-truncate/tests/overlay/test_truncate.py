"""The truncate filter shortens text between words."""

import pytest

from stencil import DictLoader, Environment, Markup, TemplateError, UndefinedError

FOX = "the quick brown fox"


def render(source, **variables):
    """Render a single template."""
    return Environment(DictLoader({"t": source})).render("t", variables)


def shortened(text, arguments):
    """Return what the filter makes of ``text``."""
    return render("{{ text|truncate(" + arguments + ") }}", text=text)


@pytest.mark.parametrize("size", [19, 20, 1000])
def test_text_that_fits_comes_out_whole(size):
    assert shortened(FOX, str(size)) == FOX


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (18, "the quick brown..."),
        (17, "the quick..."),
        (12, "the quick..."),
        (11, "the..."),
        (6, "the..."),
    ],
)
def test_cut_keeps_as_many_words_as_fit(size, expected):
    assert shortened(FOX, str(size)) == expected


@pytest.mark.parametrize(("size", "expected"), [(5, "th..."), (4, "t..."), (3, "...")])
def test_first_word_that_does_not_fit_is_cut(size, expected):
    assert shortened(FOX, str(size)) == expected


def test_text_without_spaces_is_cut_anywhere():
    assert shortened("abcdefghij", "8") == "abcde..."


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [("16, '!'", "the quick brown!"), ("15, '!'", "the quick!"), ("9, ''", "the quick"), ("8, ''", "the"), ("2, ''", "th")],
)
def test_ending_counts(arguments, expected):
    assert shortened(FOX, arguments) == expected


def test_spaces_before_the_ending_go():
    assert shortened("one   two three", "9") == "one..."


def test_result_is_never_too_long():
    for size in range(3, 25):
        assert len(shortened("a bb ccc dddd eeeee fffff", str(size))) <= size


def test_numbers_are_converted():
    assert shortened(123456789, "6") == "123..."


def test_empty_text_stays_empty():
    assert shortened("", "3") == ""


def test_result_is_escaped_once():
    assert shortened("a < b and more", "8") == "a &lt; b..."


def test_safe_text_becomes_plain_text():
    assert shortened(Markup("<b>bold</b>"), "6") == "&lt;b&gt;..."
    assert shortened(Markup("<b>"), "6") == "&lt;b&gt;"


def test_other_filters_may_follow():
    assert render("{{ text|truncate(12)|upper }}", text=FOX) == "THE QUICK..."


@pytest.mark.parametrize("arguments", ["2", "0", "5, '123456'"])
def test_ending_longer_than_the_size_is_an_error(arguments):
    with pytest.raises(TemplateError) as caught:
        render("one\n  {{ text|truncate(" + arguments + ") }}", text=FOX)
    assert not isinstance(caught.value, UndefinedError)
    assert (caught.value.position.line, caught.value.position.column) == (2, 3)


def test_ending_longer_than_the_size_is_an_error_for_short_text_too():
    with pytest.raises(TemplateError) as caught:
        shortened("a", "2")
    assert not isinstance(caught.value, UndefinedError)


def test_unknown_filter_is_still_undefined():
    with pytest.raises(UndefinedError):
        render("{{ 'a'|truncated(3) }}")


def test_own_filter_of_that_name_wins():
    environment = Environment(DictLoader({"t": "{{ 'abc'|truncate(1) }}"}), filters={"truncate": lambda text, size: text[:size]})
    assert environment.render("t") == "a"


def test_other_filters_are_as_before():
    assert render("{{ 'ab'|upper }}{{ 'AB'|lower }}{{ 'abc'|length }}") == "ABab3"
