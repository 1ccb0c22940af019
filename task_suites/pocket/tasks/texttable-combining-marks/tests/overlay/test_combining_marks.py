import unicodedata

import pytest

from texttable import Table, render, to_markdown
from texttable.width import display_width, pad


@pytest.mark.parametrize(
    ("text", "width"),
    [
        ("Zu\u0308rich", 6),
        ("e\u0301\u0323", 1),
        ("\u0e17\u0e35\u0e48", 1),
        ("\u0915\u0941", 1),
    ],
    ids=["diaeresis", "two-marks", "thai", "devanagari"],
)
def test_combining_marks_take_no_column(text, width):
    assert display_width(text) == width


def test_voicing_mark_takes_no_column_although_listed_as_wide():
    assert display_width("\u304b\u3099") == 2


@pytest.mark.parametrize(
    ("text", "width"),
    [("1\ufe0f\u20e3", 1), ("\U0001f469\u200d\U0001f4bb", 4), ("a\u200bb\u2060", 2)],
    ids=["keycap", "joiner", "invisible"],
)
def test_selectors_joiners_and_format_characters_take_no_column(text, width):
    assert display_width(text) == width


def test_decomposed_text_is_as_wide_as_composed():
    composed = "Crème brûlée, Łódź, Ångström"
    decomposed = unicodedata.normalize("NFD", composed)
    assert display_width(decomposed) == display_width(composed)


def test_padding_counts_what_is_shown():
    assert pad("u\u0308", 3, "right") == "  u\u0308"


def test_border_is_straight():
    lines = render(Table.of(["City"], [("Zu\u0308rich",), ("London",)])).splitlines()
    assert lines[0] == "+--------+"
    assert lines[3] == "| Zu\u0308rich |"


def test_markdown_is_straight():
    lines = to_markdown(Table.of(["City"], [("Zu\u0308rich",), ("Rome",)])).splitlines()
    assert lines[2:] == ["| Zu\u0308rich |", "| Rome   |"]


@pytest.mark.parametrize(
    ("text", "width"),
    [("", 0), ("plain", 5), ("\u6771\u4eac", 4), ("\uff21b", 3), ("Z\u00fcrich", 6)],
    ids=["empty", "ascii", "wide", "fullwidth", "composed"],
)
def test_other_characters_count_as_before(text, width):
    assert display_width(text) == width


def test_emoji_counts_twice():
    assert display_width("\U0001f600") == 2
