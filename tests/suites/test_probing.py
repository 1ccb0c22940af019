from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from harness.errors import DockerUnavailableError
from harness.ports import TrialEndedError
from harness.rollout import Ending
from harness.suites.probing import Bench, hidden_tests, outcomes, proven, require_small
from harness.suites.rejected import Reason, Rejected
from harness.testing import LocalLab
from harness.tree import Tree

if TYPE_CHECKING:
    from harness.ports import Graded
    from harness.rollout import Change
    from harness.task import Task

BASE = Tree.of({"box/__init__.py": "", "box/core.py": "def size(items):\n    return len(items) + 1\n"})
FIX = Tree.of({"box/__init__.py": "", "box/core.py": "def size(items):\n    return len(items)\n"})
GOOD = (
    "from box.core import size\n\n\ndef test_none():\n    assert size([]) == 0\n"
    "\n\ndef test_type():\n    assert isinstance(size([]), int)\n"
)


def bench(tests: str, *, name: str = "tests/test_core.py", seconds: float = 20.0, today: str = "", **more: str) -> Bench:
    return Bench(project="box", hidden=Tree.of({name: tests, **more}), seconds=seconds, today=today)


def test_what_fails_before_and_passes_after_is_told_from_what_passes_on_both() -> None:
    found = proven(LocalLab(), bench(GOOD), BASE, FIX)
    assert found.fail_to_pass == ("tests/test_core.py::test_none",)
    assert found.pass_to_pass == ("tests/test_core.py::test_type",)
    assert (found.kind, found.left_out) == ("behaviour", ())


def test_a_module_that_cannot_be_imported_before_makes_a_task_of_the_import_level() -> None:
    base = Tree.of({"box/__init__.py": ""})
    assert proven(LocalLab(), bench(GOOD), base, FIX).kind == "import-level"


def test_tests_that_pass_on_the_parent_too_prove_nothing() -> None:
    with pytest.raises(Rejected, match="every test that passes on the fix, 2 in all, passes on the parent too") as caught:
        proven(LocalLab(), bench(GOOD), FIX, FIX)
    assert caught.value.reason is Reason.NOT_TOLD_APART


def test_tests_that_do_not_pass_on_the_fix_are_left_out_by_name() -> None:
    tests = (
        f"import pytest\n{GOOD}\n\ndef test_never():\n    assert size([]) == 7\n"
        f"\n\n@pytest.mark.skip\ndef test_later():\n    pass\n"
    )
    found = proven(LocalLab(), bench(tests), BASE, FIX)
    assert found.left_out == ("tests/test_core.py::test_later", "tests/test_core.py::test_never")
    assert found.fail_to_pass == ("tests/test_core.py::test_none",)
    again = outcomes(LocalLab(), bench("", name="x.py"), FIX)
    assert not again.seen
    kept = outcomes(LocalLab(), Bench(project="box", hidden=found.hidden), FIX)
    assert kept.seen == {"tests/test_core.py::test_none", "tests/test_core.py::test_type"}


def test_a_conftest_that_has_the_same_hook_keeps_it() -> None:
    hook = "SEEN = []\n\n\ndef pytest_collection_modifyitems(items):\n    SEEN.append(1)\n"
    tests = f"from conftest import SEEN\n{GOOD}\n\ndef test_hook():\n    assert SEEN\n\n\ndef test_never():\n    assert False\n"
    found = proven(LocalLab(), bench(tests, **{"conftest.py": hook}), BASE, FIX)
    assert found.left_out == ("tests/test_core.py::test_never",)
    assert found.pass_to_pass == ("tests/test_core.py::test_hook", "tests/test_core.py::test_type")


def test_ids_that_change_from_run_to_run_or_with_the_day_leave_their_function_out() -> None:
    tests = (
        "import os, pytest\n"
        + GOOD
        + "\n\n@pytest.mark.parametrize('x', [str(os.getpid())])\ndef test_moving(x):\n    assert True\n"
        + "\n\n@pytest.mark.parametrize('x', ['2026-12-01'])\ndef test_dated(x):\n    assert True\n"
        + "\n\n@pytest.mark.parametrize('x', ['0x7f00aa00bb'])\ndef test_address(x):\n    assert True\n"
    )
    found = proven(LocalLab(), bench(tests, today="2026-12-01"), BASE, FIX)
    names = ("test_address", "test_dated", "test_moving")
    assert found.left_out == tuple(f"tests/test_core.py::{name}" for name in names)


def test_what_is_told_apart_only_once_is_unstable() -> None:
    with pytest.raises(Rejected) as caught:
        proven(Fading(), bench(GOOD), BASE, FIX)
    assert caught.value.reason is Reason.UNSTABLE


def test_what_the_base_fails_in_two_runs_of_three_is_unstable() -> None:
    class Lucky(LocalLab):
        """The third run of the base passes like the reference: of six runs, the last."""

        def grade(self, task: Task, change: Change) -> Graded:
            return super().grade(replace(task, base=FIX) if self.graded == 5 else task, change)

    with pytest.raises(Rejected, match="is not stable") as caught:
        proven(Lucky(), bench(GOOD), BASE, FIX)
    assert caught.value.reason is Reason.UNSTABLE


def test_tests_that_never_end_reject_the_candidate_in_their_time() -> None:
    with pytest.raises(Rejected, match="timed out after 1 s") as caught:
        outcomes(LocalLab(), bench("while True:\n    pass\n", seconds=1), FIX)
    assert caught.value.reason is Reason.TIMEOUT


def test_more_tests_than_a_report_holds_reject_the_candidate() -> None:
    tests = "import pytest\n\n\n@pytest.mark.parametrize('x', range(1001))\ndef test_many(x):\n    pass\n"
    with pytest.raises(Rejected, match="1000 tests or more") as caught:
        outcomes(LocalLab(), bench(tests), FIX)
    assert caught.value.reason is Reason.TOO_MANY_TESTS


def test_a_tree_too_large_for_an_order_is_refused() -> None:
    with pytest.raises(Rejected, match="the tree has 17 MB, at most 16") as caught:
        require_small(Tree.of({"data.bin": bytes(17 * 1024 * 1024)}))
    assert caught.value.reason is Reason.SIZE


def test_hidden_tests_are_the_changed_modules_with_helpers_and_data() -> None:
    names = ("tests/test_a.py", "tests/test_b.py", "tests/helper.py", "tests/data/x.json", "conftest.py", "src/a.py")
    tree = Tree.of(dict.fromkeys(names, ""))
    assert [path for path, _ in hidden_tests(tree, {"tests/test_a.py"})] == [
        "conftest.py",
        "tests/data/x.json",
        "tests/helper.py",
        "tests/test_a.py",
    ]


def test_a_changed_helper_brings_all_test_modules_with_it() -> None:
    tree = Tree.of(dict.fromkeys(("tests/test_a.py", "tests/test_b.py", "tests/helper.py"), ""))
    assert len(hidden_tests(tree, {"tests/test_a.py", "tests/helper.py"})) == 3


@pytest.mark.parametrize(
    ("places", "count"),
    [
        ('["tests"]', 2),
        ('["./tests/"]', 2),
        ('["te*"]', 2),
        ('["**/sub"]', 1),
        ('["samples", "tests"]', 4),
        ("[]", 4),
        ('"nowhere"', 4),
    ],
)
def test_the_tests_of_a_sample_project_outside_the_test_paths_are_no_hidden_tests(places: str, count: int) -> None:
    names = ("tests/test_a.py", "tests/sub/test_b.py", "samples/one/tests/test_c.py", "samples/test_d.py")
    settings = {"pyproject.toml": f"[tool.pytest.ini_options]\ntestpaths = {places}\n"}
    assert len(hidden_tests(Tree.of(dict.fromkeys(names, "") | settings))) == count


@pytest.mark.parametrize(("failures", "passed"), [(1, True), (2, False)])
def test_a_grader_that_fails_has_one_more_and_then_the_engine_is_at_fault(failures: int, *, passed: bool) -> None:
    lab = Failing(failures)
    if passed:
        assert outcomes(lab, bench(GOOD), FIX).passed
    else:
        with pytest.raises(DockerUnavailableError, match="the tests cannot be run: it did not start"):
            outcomes(lab, bench(GOOD), FIX)


def test_a_tree_that_ends_its_grader_is_no_task() -> None:
    with pytest.raises(Rejected, match="its files end the grader") as caught:
        outcomes(Failing(1, Ending.ENVIRONMENT_BROKEN, "its files end the grader"), bench(GOOD), FIX)
    assert caught.value.reason is Reason.ENVIRONMENT


class Failing(LocalLab):
    """A lab whose first graders fail."""

    def __init__(self, failures: int, ending: Ending = Ending.MISSING_GRADER, cause: str = "it did not start") -> None:
        super().__init__()
        self._left = failures
        self._error = TrialEndedError(ending, cause)

    def grade(self, task: Task, change: Change) -> Graded:
        """Fail so many times, then grade."""
        self._left -= 1
        if self._left >= 0:
            raise self._error
        return super().grade(task, change)


class Fading(LocalLab):
    """A lab in which the fix works in the first run alone."""

    def grade(self, task: Task, change: Change) -> Graded:
        """Grade the base instead of the fix after the second run."""
        return super().grade(replace(task, base=BASE) if self.graded > 1 else task, change)
