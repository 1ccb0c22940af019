import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.suites.emit import patch_between
from harness.suites.patch import PatchError, patched
from harness.tree import EXECUTABLE, File, Tree

LINES = st.lists(
    st.sampled_from(["a", "b", "", "  c", "x\r", "é → 🙂", "-- ", "+x", "\\ No newline at end of file", "\x0c"]), max_size=8
)
TEXTS = st.tuples(LINES, st.booleans()).map(lambda pair: "\n".join(pair[0]) + ("\n" if pair[1] and pair[0] else ""))
FILES = st.tuples(TEXTS, st.sampled_from([0o100644, EXECUTABLE])).map(lambda pair: File(content=pair[0].encode(), mode=pair[1]))
TREES = st.dictionaries(st.sampled_from(["a.py", "src/b.py", "café.txt", "dir with space/c"]), FILES, max_size=4).map(Tree.of)


@settings(max_examples=60, deadline=None)
@given(TREES, TREES)
def test_a_patch_made_by_git_and_applied_here_gives_the_same_tree(base: Tree, after: Tree) -> None:
    if base != after:
        assert patched(base, patch_between(base, after)) == after


def test_modes_are_part_of_a_patch() -> None:
    base = Tree.of({"kept": File(content=b"x\n", mode=EXECUTABLE), "run": "y\n"})
    after = Tree.of({"kept": File(content=b"z\n", mode=EXECUTABLE), "run": File(content=b"y\n", mode=EXECUTABLE)})
    assert patched(base, patch_between(base, after)) == after


def test_a_patch_that_does_not_fit_is_refused_and_never_forced() -> None:
    patch = patch_between(Tree.of({"a": "1\n2\n3\n"}), Tree.of({"a": "1\n2\n4\n"}))
    with pytest.raises(PatchError, match="a: the hunk at line 1 does not fit the tree"):
        patched(Tree.of({"a": "1\n9\n3\n"}), patch)


def test_a_binary_change_is_refused() -> None:
    patch = patch_between(Tree.of({"a": b"\0\1"}), Tree.of({"a": b"\0\2"}))
    with pytest.raises(PatchError):
        patched(Tree.of({"a": b"\0\1"}), patch)


@pytest.mark.parametrize("patch", ["", "nonsense\n", "--- a/x\n+++ b/x\n"])
def test_an_empty_or_unreadable_patch_is_refused(patch: str) -> None:
    with pytest.raises(PatchError):
        patched(Tree.of({"x": "1"}), patch)
