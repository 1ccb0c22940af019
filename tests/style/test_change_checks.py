import re
from collections.abc import Mapping

from harness.style.checks import ChangeCheck, deltas
from harness.style.diff_checks import AddedLinesForbidden, AddedLinesRequired, Companion, MaxAddedLines
from harness.style.path_checks import AllowedRoots, Forbidden, NewFiles
from harness.tree import Tree

BASE = Tree.of({"src/a.py": "one\ntwo\n", "CHANGELOG.md": "# Unreleased\n", "docs/x.md": "x\n"})


def places(
    check: ChangeCheck, changed: Mapping[str, str | None], renames: tuple[tuple[str, str], ...] = (), base: Tree = BASE
) -> list[tuple[str, int]]:
    files = dict(base.files)
    for path, text in changed.items():
        files.pop(path, None)
        if text is not None:
            files[path] = Tree.of({path: text}).by_path[path]
    return [(site.path, site.line) for site in check.sites(deltas(base, Tree.of(files), renames))]


NEWS = Companion(when=("src/**",), changed=("CHANGELOG.md", "changes/*.md"))


def test_a_change_without_its_companion_is_found_once() -> None:
    assert places(NEWS, {"src/a.py": "1\n", "src/b.py": "2\n"}) == [("src/a.py", 1)]


def test_a_companion_counts_when_it_gains_a_line() -> None:
    assert places(NEWS, {"src/a.py": "1\n", "CHANGELOG.md": "# Unreleased\n- Said.\n"}) == []
    assert places(NEWS, {"src/a.py": "1\n", "changes/fix.md": "Said.\n"}) == []


def test_a_companion_that_only_lost_lines_or_gained_blank_ones_does_not_count() -> None:
    assert places(NEWS, {"src/a.py": "1\n", "CHANGELOG.md": None}) == [("src/a.py", 1)]
    assert places(NEWS, {"src/a.py": "1\n", "CHANGELOG.md": "# Unreleased\n\n"}) == [("src/a.py", 1)]


def test_a_change_elsewhere_asks_for_no_companion() -> None:
    assert places(NEWS, {"docs/x.md": "y\n"}) == []


def test_only_added_lines_can_be_forbidden_and_a_moved_line_was_not_added() -> None:
    check = AddedLinesForbidden(paths=("src/**",), pattern=re.compile("two|debug"))
    assert places(check, {"src/a.py": "two\none\n"}) == []
    assert places(check, {"src/a.py": "one\ntwo\ntwo\ndebug()\n"}) == [("src/a.py", 3), ("src/a.py", 4)]


def test_every_added_line_that_is_not_blank_must_fit() -> None:
    check = AddedLinesRequired(paths=("CHANGELOG.md",), pattern=re.compile(r"^- .+\.$"))
    assert places(check, {"CHANGELOG.md": "# Unreleased\n\n- Said.\n- Not said\n"}) == [("CHANGELOG.md", 4)]


def test_added_lines_are_counted_over_all_paths() -> None:
    assert places(MaxAddedLines(paths=("src/**",), max=2), {"src/a.py": "one\ntwo\n3\n", "src/b.py": "4\n"}) == []
    assert places(MaxAddedLines(paths=("src/**",), max=1), {"src/a.py": "one\ntwo\n3\n", "src/b.py": "4\n"}) == [("src/a.py", 1)]


def test_a_binary_file_adds_no_lines() -> None:
    assert places(MaxAddedLines(paths=("**",), max=0), {"src/x.bin": "a\0b\nc\n"}) == []


def test_a_new_file_must_be_named_as_the_project_names_them() -> None:
    check = NewFiles(within=("changes/**",), pattern=re.compile(r"changes/[a-z-]+\.(bugfix|feature)\.md"))
    assert places(check, {"changes/sign.bugfix.md": "x\n", "src/new.py": "x\n"}) == []
    assert places(check, {"changes/sign.md": "x\n"}) == [("changes/sign.md", 1)]


def test_a_file_moved_to_a_new_name_is_new_there() -> None:
    check = NewFiles(within=("src/**",), pattern=re.compile(r"src/[a-z]\.py"))
    moved = {"src/a.py": None, "src/Long.py": "one\ntwo\n"}
    assert places(check, moved, renames=(("src/a.py", "src/Long.py"),)) == [("src/Long.py", 1)]


def test_forbidden_paths_may_not_be_edited_deleted_or_moved_away() -> None:
    check = Forbidden(paths=("docs/**",))
    assert places(check, {"docs/x.md": "y\n"}) == [("docs/x.md", 1)]
    assert places(check, {"docs/x.md": None}) == [("docs/x.md", 1)]
    assert places(check, {"docs/x.md": None, "x.md": "x\n"}, renames=(("docs/x.md", "x.md"),)) == [("x.md", 1)]


def test_new_files_stand_below_a_root_or_are_one() -> None:
    check = AllowedRoots(roots=("src", "docs/", "NOTES.md"))
    changed = {"src/n.py": "", "docs/n.md": "", "NOTES.md": "", "srcs/n.py": "", "scratch.py": "", "CHANGELOG.md": "y\n"}
    assert places(check, changed) == [("scratch.py", 1), ("srcs/n.py", 1)]


def test_a_rename_that_the_trees_do_not_show_is_ignored() -> None:
    assert places(NEWS, {"src/b.py": "1\n"}, renames=(("src/zzz.py", "src/b.py"),)) == [("src/b.py", 1)]
