import pytest

from texttable import Column, Table, TableError, render
from texttable.width import display_width

TEXT = "the quick brown fox jumps over the lazy dog"


def widths(table, max_width):
    lines = render(table, "plain", max_width=max_width).splitlines()
    rule = next(line for line in lines if set(line) <= {"-", " "})
    return [len(dashes) for dashes in rule.split("  ")]


def columns(*sizes, **options):
    return Table.of([Column("x" * size, **options) for size in sizes], [])


@pytest.mark.parametrize(
    ("room", "expected"),
    [(16, [10, 6]), (15, [9, 6]), (12, [6, 6]), (11, [5, 6]), (10, [5, 5]), (6, [3, 3])],
    ids=["fits", "one", "equal", "first", "both", "narrowest"],
)
def test_widest_column_gives_way(room, expected):
    assert widths(columns(10, 6), room + 2) == expected


def test_middle_column_gives_way_when_it_is_widest():
    assert widths(columns(4, 9, 5), 4 + 14) == [4, 5, 5]


def test_narrow_column_keeps_its_width():
    assert widths(columns(2, 10), 2 + 5) == [2, 3]


@pytest.mark.parametrize(
    ("sizes", "room"), [((10, 6), 5), ((2, 10), 4), ((1,), 0)], ids=range(3)
)
def test_table_that_cannot_fit_is_refused(sizes, room):
    with pytest.raises(TableError):
        render(columns(*sizes), "plain", max_width=room + 2 * (len(sizes) - 1))


def test_fixed_column_keeps_its_width():
    table = Table.of([Column("x" * 10, fixed=True), "y" * 8], [])
    assert widths(table, 2 + 14) == [10, 4]


def test_table_of_fixed_columns_is_refused():
    with pytest.raises(TableError):
        render(columns(10, 6, fixed=True), max_width=20)


def test_fixed_columns_may_fit():
    assert widths(columns(10, 6, fixed=True), 18) == [10, 6]


@pytest.mark.parametrize("border", ["ascii", "box", "plain"])
@pytest.mark.parametrize("max_width", [25, 40, 61])
def test_no_line_is_wider(border, max_width):
    table = Table.of(["id", "text", "more"], [(1, TEXT, TEXT), (2, TEXT[:9], "")], ["all"])
    lines = render(table, border, max_width=max_width).splitlines()
    assert max(map(display_width, lines)) == max_width


def test_wide_characters_count_twice():
    table = Table.of(["a"], [("\u6771\u4eac\u90fd\u5e81\u820e",)])
    assert render(table, max_width=9).splitlines()[3] == "| \u6771\u4eac  |"


def test_text_is_wrapped_between_words():
    table = Table.of(["id", "text"], [(1, TEXT)])
    assert render(table, max_width=22).splitlines()[3:6] == [
        "| 1  | the quick     |",
        "|    | brown fox     |",
        "|    | jumps over    |",
    ]


def test_narrowing_starts_from_the_limits_of_the_columns():
    table = Table.of([Column("a", max_width=8), "b"], [(TEXT, TEXT[:12])])
    assert widths(table, 2 + 18) == [8, 10]


def test_table_that_is_narrow_enough_is_drawn_as_without_a_limit():
    table = Table.of(["id", "text"], [(1, TEXT)])
    assert render(table, max_width=80) == render(table)


def test_table_without_a_limit_is_drawn_as_before():
    lines = render(Table.of(["id", "text"], [(1, TEXT)])).splitlines()
    assert lines[3] == f"| 1  | {TEXT} |"


def test_limit_of_a_column_holds_without_a_limit_of_the_table():
    table = Table.of([Column("text", max_width=9)], [(TEXT,)])
    assert render(table, "plain").splitlines()[2:4] == ["the quick", "brown fox"]
