import pytest

from texttable.width import display_width, pad


@pytest.mark.parametrize(
    ("text", "width"),
    [("", 0), ("cell", 4), ("Zürich", 6), ("東京", 4), ("\uff21", 2)],
    ids=["empty", "ascii", "latin", "wide", "fullwidth"],
)
def test_width_in_terminal_columns(text, width):
    """East Asian wide characters count twice, others once."""
    assert display_width(text) == width


@pytest.mark.parametrize(
    ("align", "padded"),
    [("left", "東   "), ("right", "   東"), ("center", " 東  ")],
)
def test_padding_fills_up_to_the_width(align, padded):
    """The blanks go to the other side of the text; an odd one goes right."""
    assert pad("東", 5, align) == padded


def test_padding_leaves_longer_text_alone():
    """Nothing is cut off."""
    assert pad("table", 3, "left") == "table"


def test_combining_mark_takes_no_column():
    """A decomposed letter is as wide as the composed one."""
    assert display_width("Zu\u0308rich") == 6
