from __future__ import annotations

from harness.left_out import leaving_out, without_addition
from harness.tree import Tree

HIDDEN = Tree.of({"tests/test_a.py": "def test_a():\n    pass\n"})


def test_what_is_added_is_taken_away_again_and_what_the_project_has_stays() -> None:
    for hidden in (HIDDEN, HIDDEN.overlaid(Tree.of({"conftest.py": "X = 1\n"}))):
        added = leaving_out(hidden, ["tests/test_a.py::test_a[1]"])
        assert '"tests/test_a.py::test_a[1]"' in added.by_path["conftest.py"].text
        assert without_addition(added) == hidden
        assert without_addition(hidden) == hidden
