"""A second suite as the reserve of the first."""

from dataclasses import replace

import pytest

from harness.errors import SuiteError
from harness.suites.reserve import with_reserve
from harness.task import Split
from tests.test_loop import SUITE, task

SPARE = replace(SUITE, id="spare", tasks=(task("new-1", Split.DEV), task("new-2", Split.HOLDOUT)))


def test_all_tasks_of_a_reserve_wait_whatever_their_split_and_change_nothing_else() -> None:
    found = with_reserve(SUITE, SPARE)
    assert [one.id for one in found.split(Split.RESERVE)] == ["new-1", "new-2"]
    assert (found.hash, found.holdout_hash, found.split(Split.DEV)) == (SUITE.hash, SUITE.holdout_hash, SUITE.split(Split.DEV))


def test_one_private_suite_of_the_two_makes_both_private() -> None:
    assert with_reserve(SUITE, replace(SPARE, private=True)).private


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"tasks": (task("dev-0", Split.DEV),)}, "task dev-0 stands in suite s and in its reserve spare"),
        ({"tools": (("ruff", "0.1.0"),)}, "its tool ruff is not that of suite s"),
        ({"packs": (("p", "x = 1"),)}, "its rule pack p is not that of suite s"),
        ({"npm_lock": "{}"}, "its package-lock.json is not that of suite s"),
    ],
)
def test_a_reserve_that_would_not_compare_is_refused_in_words(change: dict[str, object], words: str) -> None:
    with pytest.raises(SuiteError, match=words):
        with_reserve(SUITE, replace(SPARE, **change))  # type: ignore[arg-type]
