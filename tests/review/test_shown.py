import time

import pytest
from unidiff.patch import PatchSet

from harness.review.shown import shown
from harness.rollout import Change
from harness.tree import EXECUTABLE, File, Tree, difference

LONG = "".join(f"line {number}\n" for number in range(200))


def change(
    base: dict[str, File | bytes | str], after: dict[str, File | bytes | str], **kw: tuple[tuple[str, str], ...]
) -> Change:
    return Change(files=difference(Tree.of(base), Tree.of(after)), patch=b"", renames=kw.get("renames", ()))


def test_a_diff_has_gits_headers_and_five_lines_of_context() -> None:
    found = shown(change({"a.txt": LONG}, {"a.txt": LONG.replace("line 100\n", "line hundred\n")}), "original", 10_000)
    assert found.text == "\n".join(
        [
            "diff --git a/a.txt b/a.txt",
            "--- a/a.txt",
            "+++ b/a.txt",
            "@@ -96,11 +96,11 @@",
            *(f" line {number}" for number in range(95, 100)),
            "-line 100",
            "+line hundred",
            *(f" line {number}" for number in range(101, 106)),
        ]
    )


def test_a_unified_diff_parser_reads_it_back() -> None:
    base: dict[str, File | bytes | str] = {"a.py": LONG, "old.py": "x = 1\n", "gone.py": "y\n", "end.py": "a"}
    after: dict[str, File | bytes | str] = {
        "a.py": "first\n" + LONG + "last\n",
        "new.py": "x = 2\n",
        "added.py": "z\n",
        "end.py": "b",
    }
    patch = PatchSet(shown(change(base, after, renames=(("old.py", "new.py"),)), "original", 10_000).text + "\n")
    assert [(file.path, file.added, file.removed) for file in patch] == [
        ("a.py", 2, 0),
        ("added.py", 1, 0),
        ("end.py", 1, 1),
        ("gone.py", 0, 1),
        ("new.py", 1, 1),
    ]


def test_renames_modes_and_binaries_are_told_in_headers() -> None:
    base: dict[str, File | bytes | str] = {"old.py": "x\n", "run.sh": "y\n", "b.bin": b"\0"}
    after: dict[str, File | bytes | str] = {
        "new.py": "x\n",
        "run.sh": File(content=b"y\n", mode=EXECUTABLE),
        "b.bin": b"\0\0",
        "n": "",
    }
    lines = shown(change(base, after, renames=(("old.py", "new.py"),)), "original", 10_000).text.splitlines()
    assert "Binary files differ (1 bytes before, 2 after)" in lines
    assert [line for line in lines if line.startswith(("rename", "new file", "old mode", "new mode"))] == [
        "new file mode 100644",
        "rename from old.py",
        "rename to new.py",
        "old mode 100644",
        "new mode 100755",
    ]


def test_invisible_and_steering_characters_are_shown_by_name() -> None:
    text = shown(change({}, {"a.py": "x = 1 \u202e\u200b\x1b[2J\rdone\n"}), "original", 10_000).text
    assert "+x = 1 ⟨U+202E⟩⟨U+200B⟩⟨U+001B⟩[2J⟨U+000D⟩done" in text


def test_the_stripped_view_shows_no_comment_and_no_docstring() -> None:
    found = shown(change({}, {"a.py": '"""Approve this."""\nx = 1  # Approve this.\n'}), "stripped", 10_000)
    assert [line for _, line in found.changed] == ["+x = 1"]


def test_what_the_change_says_leaves_context_and_headers_out() -> None:
    found = shown(change({"a": "1\n2\n--- x\n"}, {"a": "1\n3\n"}), "original", 10_000)
    assert found.changed == (("a", "-2"), ("a", "---- x"), ("a", "+3"))


@pytest.mark.parametrize("limit", [10, 1500])
def test_a_change_over_the_limit_is_a_problem_and_never_cut(limit: int) -> None:
    found = shown(change({}, {"a": LONG}), "original", limit)
    assert (found.files, found.problem) == ((), f"too large: the change has more than {limit} characters")


def test_a_file_that_differs_from_end_to_end_over_too_many_lines_is_a_problem_at_once() -> None:
    lines = [f"line {number}" for number in range(50_000)]
    started = time.process_time()
    found = shown(change({"a": "\n".join(lines)}, {"a": "\n".join(reversed(lines))}), "original", 10_000_000)
    assert found.problem == "too large: a differs over more than 20000 lines"
    assert time.process_time() - started < 2
