from dataclasses import replace
from pathlib import Path

import pytest

from harness.errors import InputError
from harness.executors.local import LocalExecutor
from harness.suites.mutating import Healthy, Mutator, Tried, mutants_of
from harness.suites.unfinished import Unfinished
from harness.testing import LocalLab
from harness.tree import Tree
from tests.suites.test_mutating import HEALTHY, mutator


@pytest.fixture(scope="module")
def healthy() -> Healthy:
    return mutator().healthy(HEALTHY)


def run(made: Mutator, healthy: Healthy) -> tuple[Tried, ...]:
    return made.run(healthy, LocalExecutor(1))


def graded(made: Mutator) -> int:
    assert isinstance(made.lab, LocalLab)
    return made.lab.graded


def stop_at_the_first_kept(text: str) -> None:
    if text.endswith("kept"):
        raise KeyboardInterrupt


@pytest.mark.soak
def test_a_stopped_run_goes_on_from_what_is_known_and_comes_to_the_same(healthy: Healthy, tmp_path: Path) -> None:
    whole = mutator(tmp_path / "whole")
    expected = run(whole, healthy)
    with pytest.raises(KeyboardInterrupt):
        run(replace(mutator(tmp_path / "cut"), tell=stop_at_the_first_kept), healthy)
    again = mutator(tmp_path / "cut")
    assert run(again, healthy) == expected
    assert 0 < graded(again) < graded(whole)
    once_more = mutator(tmp_path / "cut")
    assert (run(once_more, healthy), graded(once_more)) == (expected, 0)


def test_what_was_made_of_another_tree_or_with_other_words_is_not_used(healthy: Healthy, tmp_path: Path) -> None:
    plan = mutator().plan
    memory = Unfinished(tmp_path / "suite", plan, ())
    mutant = Tried(mutant=mutants_of(HEALTHY)[0], reason="no test sees it", detail="4 tests pass with it")
    assert memory.add(healthy, mutant) == mutant
    known = Unfinished(tmp_path / "suite", replace(plan, seed=9, limit=9), ())
    assert (len(known), known.known(healthy, mutant.mutant)) == (1, mutant)
    changed = replace(healthy, tree=healthy.tree.overlaid(Tree.of({"basket.py": "x = 1\n"})))
    assert known.known(changed, mutant.mutant) is None
    assert Unfinished(tmp_path / "suite", replace(plan, deny=("prices",)), ()).known(healthy, mutant.mutant) is None
    known.forget()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_holds_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".suite.unfinished").mkdir()
    (tmp_path / ".suite.unfinished/candidates.jsonl").write_text("{}\n", encoding="utf-8")
    with pytest.raises(InputError, match="not a list of candidates"):
        Unfinished(tmp_path / "suite", mutator().plan, ())
