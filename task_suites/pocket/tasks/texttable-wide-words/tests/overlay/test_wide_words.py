import pytest

from texttable import Column, Table, render
from texttable.width import display_width
from texttable.wrap import wrap

TOWN = "\u6771\u4eac\u90fd\u5e81\u820e"


@pytest.mark.parametrize(
    ("width", "cuts"),
    [(2, 1), (3, 1), (4, 2), (5, 2), (8, 4)],
    ids=["two", "three", "four", "five", "eight"],
)
def test_piece_takes_as_many_columns_as_fit(width, cuts):
    assert wrap(TOWN, width) == [TOWN[at : at + cuts] for at in range(0, 5, cuts)]


def test_narrow_and_wide_characters_in_one_word():
    assert wrap("ab\u6771cd\u4eacef", 4) == ["ab\u6771", "cd\u4eac", "ef"]


def test_mark_stays_with_the_character_that_fills_the_line():
    assert wrap("abe\u0301cde\u0301", 3) == ["abe\u0301", "cde\u0301"]


def test_marks_do_not_count():
    assert wrap("e\u0301" * 5, 2) == ["e\u0301" * 2, "e\u0301" * 2, "e\u0301"]


def test_character_wider_than_the_line_stands_alone():
    assert wrap("a\u6771b", 1) == ["a", "\u6771", "b"]


def test_character_wider_than_the_line_keeps_its_marks():
    assert wrap("\u304b\u3099\u304d\u3099", 1) == ["\u304b\u3099", "\u304d\u3099"]


def test_word_starts_on_a_new_line_and_text_goes_on_behind():
    assert wrap(f"in {TOWN} am", 5) == ["in", TOWN[:2], TOWN[2:4], f"{TOWN[4]} am"]


def test_no_line_of_the_table_is_wider_than_the_border():
    table = Table.of([Column("Place", max_width=5)], [(TOWN,), (f"{TOWN} {TOWN}",)])
    assert {display_width(line) for line in render(table).splitlines()} == {9}


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("extraordinary", 6, ["extrao", "rdinar", "y"]),
        ("an extraordinary word", 6, ["an", "extrao", "rdinar", "y word"]),
        ("abc", 1, ["a", "b", "c"]),
        ("the quick brown fox", 9, ["the quick", "brown fox"]),
    ],
    ids=["word", "words", "narrowest", "blanks"],
)
def test_ascii_is_wrapped_as_before(text, width, lines):
    assert wrap(text, width) == lines


def test_wide_words_that_fit_break_at_blanks():
    assert wrap("\u6771\u4eac \u5927\u962a", 6) == ["\u6771\u4eac", "\u5927\u962a"]


def test_wide_word_that_fits_is_not_cut():
    assert wrap(TOWN, 10) == [TOWN]
