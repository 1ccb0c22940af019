import pytest

from texttable.wrap import wrap


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", [""]),
        ("short", ["short"]),
        ("the quick brown fox", ["the quick", "brown fox"]),
        ("one\n\ntwo", ["one", "", "two"]),
    ],
    ids=["empty", "fits", "words", "line-breaks"],
)
def test_text_breaks_between_words(text, lines):
    """Lines break at blanks, and line breaks of the text are kept."""
    assert wrap(text, 10) == lines


def test_line_that_fits_keeps_its_blanks():
    """Only lines that are too long are taken apart."""
    assert wrap("a   b", 5) == ["a   b"]


def test_long_word_breaks_anywhere():
    """A word that no line can hold starts on a line of its own."""
    assert wrap("an extraordinary word", 6) == ["an", "extrao", "rdinar", "y word"]


def test_long_wide_word_breaks_where_the_column_ends():
    """Wide characters fill a line twice as fast."""
    assert wrap("東京都庁舎", 4) == ["東京", "都庁", "舎"]
