import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.tree import EXECUTABLE, Edit, EditError, File, Tree, applied, difference, edited, matches, parents, unified

NAMES = st.characters(codec="utf-8", exclude_characters="/\0")
PARTS = st.text(NAMES, min_size=1, max_size=6).filter(lambda part: part not in {".", ".."})
PATHS = st.lists(PARTS, min_size=1, max_size=3).map("/".join)
FILES = st.builds(File, content=st.binary(max_size=40), mode=st.sampled_from([0o100644, EXECUTABLE]))
TREES = st.dictionaries(PATHS, FILES, max_size=6).map(Tree.of)


@given(TREES, TREES)
def test_applying_the_difference_of_two_trees_gives_the_second(base: Tree, after: Tree) -> None:
    assert applied(base, difference(base, after)) == after


@given(TREES, TREES)
def test_two_trees_have_one_id_only_when_they_are_equal(left: Tree, right: Tree) -> None:
    assert (left.id == right.id) is (left == right)


def test_the_mode_is_part_of_a_trees_identity() -> None:
    assert Tree.of({"a": b"x"}).id != Tree.of({"a": File(content=b"x", mode=EXECUTABLE)}).id


def test_a_file_laid_over_a_folder_takes_its_place() -> None:
    assert Tree.of({"a/b": b"1", "c": b"2"}).overlaid(Tree.of({"a": b"3"})) == Tree.of({"a": b"3", "c": b"2"})


def test_a_folder_laid_over_a_file_takes_its_place() -> None:
    assert Tree.of({"a": b"1"}).overlaid(Tree.of({"a/b": b"2"})) == Tree.of({"a/b": b"2"})


def test_edits_are_looked_up_in_the_tree_as_given_so_their_order_does_not_matter() -> None:
    tree = Tree.of({"f": "one two three"})
    edits = [Edit(file="f", find="one", replace="two"), Edit(file="f", find="two", replace="2")]
    assert edited(tree, edits) == edited(tree, edits[::-1]) == Tree.of({"f": "two 2 three"})


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (Edit(file="g", find="one"), "g: cannot be edited, there is no such file"),
        (Edit(file="f", find="four"), "f: the text to replace occurs 0 times, not once: 'four'"),
        (Edit(file="f", find="e"), "f: the text to replace occurs 3 times, not once: 'e'"),
        (Edit(file="g", delete=True), "g: cannot be deleted, there is no such file"),
    ],
)
def test_an_edit_that_does_not_fit_is_refused_with_file_and_text(edit: Edit, message: str) -> None:
    with pytest.raises(EditError, match=f"^{message}$"):
        edited(Tree.of({"f": "one two three"}), [edit])


def test_overlapping_edits_are_refused() -> None:
    with pytest.raises(EditError, match="overlap"):
        edited(Tree.of({"f": "one two"}), [Edit(file="f", find="one t"), Edit(file="f", find="two")])


def test_files_are_created_and_deleted_by_edits() -> None:
    tree = edited(Tree.of({"a": "1"}), [Edit(file="a", delete=True), Edit(file="b", create="2")])
    assert tree == Tree.of({"b": "2"})


@pytest.mark.parametrize(
    ("path", "pattern", "expected"),
    [
        ("src/a.py", "src/*.py", True),
        ("src/a/b.py", "src/*.py", False),
        ("src/a/b.py", "src/**/*.py", True),
        ("src/b.py", "src/**/*.py", True),
        ("src/a/b.py", "src/**", True),
        ("a.py", "**/*.py", True),
        ("a+py", "a.py", False),
    ],
)
def test_globs_keep_a_star_within_its_folder(path: str, pattern: str, expected: bool) -> None:  # noqa: FBT001
    assert matches(path, [pattern]) is expected


def test_parents_are_given_outermost_first() -> None:
    assert parents("a/b/c") == ("a", "a/b")


def test_two_trees_are_shown_as_one_unified_diff_with_new_and_deleted_files() -> None:
    base = Tree.of({"a.py": "one\ntwo", "gone.py": "x\n", "same.py": "s\n"})
    after = Tree.of({"a.py": "one\n2\n", "new.py": "y\n", "same.py": "s\n"})
    assert unified(base, after) == (
        "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"
        "--- a/gone.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
        "--- /dev/null\n+++ b/new.py\n@@ -0,0 +1 @@\n+y\n"
    )
