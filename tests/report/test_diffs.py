from harness.report.diffs import patch_lines, skill_diff
from harness.tree import Tree

OLD = "# Title\n\nintro\n\n## One\n\n- a\n- b\n- c\n- d\n- e\n"


def test_a_change_of_the_skill_has_numbers_signs_and_the_heading_it_stands_under() -> None:
    (file,) = skill_diff(Tree.of({"SKILL.md": OLD}), Tree.of({"SKILL.md": OLD.replace("- d\n", "- D\n- D2\n")}))
    assert (file.path, file.added, file.removed, file.words) == ("SKILL.md", 2, 1, 2)
    assert [(line.sign, line.old, line.new, line.text) for line in file.lines] == [
        ("", "", "", "## One"),
        ("", "8", "8", "- b"),
        ("", "9", "9", "- c"),
        ("−", "10", "", "- d"),  # noqa: RUF001
        ("+", "", "10", "- D"),
        ("+", "", "11", "- D2"),
        ("", "11", "12", "- e"),
    ]


def test_a_new_file_and_a_removed_one_are_changes_and_equal_ones_are_not() -> None:
    old, new = Tree.of({"a.md": "x\n", "same.md": "s\n"}), Tree.of({"b.md": "y\n", "same.md": "s\n"})
    assert [(file.path, file.added, file.removed) for file in skill_diff(old, new)] == [("a.md", 0, 1), ("b.md", 1, 0)]
    assert skill_diff(old, old) == ()


def test_a_patch_is_read_file_by_file_with_line_numbers() -> None:
    patch = b"diff --git a/m.py b/m.py\n--- a/m.py\n+++ b/m.py\n@@ -1,2 +1,2 @@\n keep\n-old \xff\n+new\x1b\n"
    assert [(line.kind, line.old, line.new, line.text) for line in patch_lines(patch)] == [
        ("h", "", "", "m.py"),
        ("", "1", "1", "keep"),
        ("d", "2", "", "old ⟨0xFF⟩"),
        ("a", "", "2", "new⟨U+001B⟩"),
    ]


def test_what_is_no_patch_gives_no_line() -> None:
    assert patch_lines(b"\0\xffgarbage") == ()
    assert patch_lines(b"") == ()
