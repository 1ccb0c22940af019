from harness.report.diffs import FileDiff, Side, skill_diff
from harness.tree import Tree

OLD = "# Title\n\nintro\n\n## One\n\n- a\n- b\n- c\n- d\n- e\n"


def changed(old: str, new: str) -> FileDiff:
    (file,) = skill_diff(Tree.of({"SKILL.md": old}), Tree.of({"SKILL.md": new}))
    return file


def shown(side: Side | None) -> str:
    """A side as text: its number, and what is marked in brackets."""
    if side is None:
        return ""
    return f"{side.number} " + "".join(f"[{text}]" if marked else text for marked, text in side.pieces)


def pairs(old: str, new: str) -> list[tuple[str, str]]:
    return [(shown(row.old), shown(row.new)) for row in changed(old, new).rows if row.kind == "c"]


def test_a_change_of_the_skill_stands_side_by_side_with_numbers_and_the_heading_it_stands_under() -> None:
    file = changed(OLD, OLD.replace("- d\n", "- D\n- D2\n"))
    assert (file.path, file.added, file.removed, file.words) == ("SKILL.md", 2, 1, 2)
    assert [(row.kind, row.heading, shown(row.old), shown(row.new)) for row in file.rows] == [
        ("h", "## One", "", ""),
        ("", "", "8 - b", "8 - b"),
        ("", "", "9 - c", "9 - c"),
        ("c", "", "10 - d", "10 - D"),
        ("c", "", "", "11 - D2"),
        ("", "", "11 - e", "12 - e"),
    ]


def test_a_new_file_and_a_removed_one_are_changes_and_equal_ones_are_not() -> None:
    old, new = Tree.of({"a.md": "x\n", "same.md": "s\n"}), Tree.of({"b.md": "y\n", "same.md": "s\n"})
    assert [(file.path, file.added, file.removed) for file in skill_diff(old, new)] == [("a.md", 0, 1), ("b.md", 1, 0)]
    assert skill_diff(old, old) == ()


def test_a_reworded_line_stands_beside_its_old_wording_with_the_words_that_differ_marked() -> None:
    old, new = "- Keep functions short.\n", "- Read the module first.\n- Keep all functions under ten lines.\n- Stop.\n"
    assert pairs(old, new) == [
        ("", "1 - Read the module first."),
        ("1 - Keep functions [short].", "2 - Keep [all ]functions [under ten lines]."),
        ("", "3 - Stop."),
    ]


def test_a_line_that_was_only_added_to_has_what_came_marked() -> None:
    old, new = (
        "- Keep it short.\n",
        "- Keep it short, and change only what the task asks for: no renames in passing, no new style.\n",
    )
    marked = "2 - Keep it short[, and change only what the task asks for: no renames in passing, no new style]."
    assert pairs(old, f"- First.\n{new}") == [("", "1 - First."), ("1 - Keep it short.", marked)]


def test_words_are_marked_only_where_two_lines_are_alike() -> None:
    assert pairs("- one two three\n", "- four five six\n") == [("1 - one two three", "1 - four five six")]


def test_lines_that_kept_their_order_are_paired_and_those_that_changed_it_are_not_crossed() -> None:
    assert pairs("run the quick tests\nread the whole module\n", "read the whole old module\nrun the slow tests\n") == [
        ("1 run the quick tests", ""),
        ("2 read the whole module", "1 read the whole [old ]module"),
        ("", "2 run the slow tests"),
    ]


def test_every_line_of_both_versions_stands_once_and_in_its_order_however_much_was_rewritten() -> None:
    for size in (3, 40, 90):
        old, new = ([f"{word} {at} {at % 7}" for at in range(size)] for word in ("before", "after"))
        rows = changed("\n".join(old), "\n".join(new)).rows
        for side, lines in ((0, old), (1, new)):
            found = [one for row in rows if (one := (row.old, row.new)[side])]
            assert [one.number for one in found] == list(range(1, size + 1))
            assert ["".join(text for _, text in one.pieces) for one in found] == lines


def test_white_space_and_line_ends_that_alone_differ_can_be_seen() -> None:
    assert pairs("a b\n", "a  b\n") == [("1 a[ ]b", "1 a[  ]b")]
    assert pairs("a b\r\n", "a b\n") == [("1 a b[⟨U+000D⟩]", "1 a b")]
    assert pairs("a b\n", "a b") == [("1 a b", "1 a b[⟨no line feed⟩]")]
    assert pairs("a\u2028b\n", "a\nb\n") == [("1 a[⟨U+2028⟩b]", "1 a"), ("", "2 b")]


def test_hidden_characters_are_shown_by_their_names_in_both_versions() -> None:
    assert pairs("go left now\n", "go \u202eleft now\n") == [("1 go left now", "1 go [⟨U+202E⟩]left now")]
