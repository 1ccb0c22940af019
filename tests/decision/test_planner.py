"""What a suite can see, and what a wanted effect would need."""

import pytest

from harness.decision.planner import REPEATS, plan, seen_on_one, told_before, words
from harness.decision.power import START_RATES, Design, uniforms

SMALL = Design(tasks=24, repeats=2)


def test_all_three_gates_need_a_larger_gain_than_the_hardest_gate_alone() -> None:
    found = plan(SMALL, START_RATES, uniforms(1), runs=30)
    assert found.on_all is not None
    assert found.on_all > max(effect for effect in found.one_gate if effect is not None)


def test_more_repeats_and_larger_gains_need_fewer_tasks() -> None:
    found = plan(SMALL, START_RATES, uniforms(1), wanted=(0.1, 0.2), runs=30)
    small, large = (need.tasks for need in found.needs)
    counts = [count for count in small if count is not None]
    assert len(counts) == len(REPEATS)
    assert counts == sorted(counts, reverse=True)
    assert all(less < more for less, more in zip(large, small, strict=True) if less and more)


def test_a_gain_that_leaves_the_scale_is_seen_by_no_number_of_tasks() -> None:
    found = plan(SMALL, (0.5, 0.85, 0.5), uniforms(1), wanted=(0.2,), runs=20)
    assert found.needs[0].tasks == (None,) * len(REPEATS)


@pytest.mark.parametrize(("tasks", "warned"), [(39, True), (40, False)])
def test_under_forty_tasks_the_number_is_a_warning(tasks: int, warned: bool) -> None:  # noqa: FBT001
    design = Design(tasks=tasks, repeats=8)
    told = told_before(design, START_RATES)
    assert ("Warning" in told) is warned
    tests = seen_on_one(design, START_RATES)[0]
    assert tests is not None
    assert f"tests {100 * tests:.0f} points" in told


def test_the_words_name_the_gain_the_cost_and_what_becomes_of_smaller_ones() -> None:
    text = words(plan(SMALL, START_RATES, uniforms(1), runs=20))
    for part in ("24 holdout tasks, 2 looks", "on all three gates at once", "at most 96 trials", "inconclusive", "Warning"):
        assert part in text
