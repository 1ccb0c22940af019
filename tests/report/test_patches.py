from harness.report.patches import patch_lines


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
