from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from harness.decision.power import (
    START_RATES,
    Design,
    Noise,
    chance_to_promote,
    smallest_effect,
    smallest_effect_on_all,
    tasks_needed,
    uniforms,
    world_noise,
)
from harness.errors import InputError


def test_the_planner_is_the_published_formula() -> None:
    reach = stats.norm.ppf(0.95) + stats.norm.ppf(0.8)
    expected = reach**2 * (0.4 / 3 + 0.01) / 0.1**2
    assert expected == pytest.approx(tasks_needed(0.1, Noise(within=0.4, between=0.01), repeats=3))


def test_the_noise_of_the_world_is_that_of_a_simulation() -> None:
    rng = np.random.default_rng(3)
    base, moved = math.sqrt(2) * stats.norm.ppf([0.5, 0.65])
    place, scatter = rng.standard_normal((2, 400_000))
    before = stats.norm.cdf(base + place)
    after = stats.norm.cdf(moved + (place + 0.2 * scatter) / math.sqrt(1.04))
    noise = world_noise(0.5, 0.15)
    assert np.mean(before * (1 - before) + after * (1 - after)) == pytest.approx(noise.within, rel=0.01)
    assert np.var(after - before) == pytest.approx(noise.between, rel=0.1)


def test_more_tasks_or_repeats_see_smaller_effects() -> None:
    effects = [smallest_effect(Design(tasks=n, repeats=k), 0.5) for n, k in ((30, 3), (60, 3), (60, 5), (200, 5))]
    assert None not in effects
    assert sorted(effects, reverse=True) == effects


def test_a_suite_too_small_for_any_effect_is_told_so() -> None:
    assert smallest_effect(Design(tasks=2, repeats=1), 0.9) is None


def test_a_gate_that_was_never_or_always_passed_has_a_figure_too() -> None:
    design = Design(tasks=200, repeats=3)
    assert smallest_effect(design, 0.0) == smallest_effect(design, 0.02)
    assert smallest_effect(design, 1.0) == smallest_effect(design, 0.98)


def test_thirty_tasks_three_times_see_about_twenty_points_on_all_gates() -> None:
    effect = smallest_effect_on_all(Design(tasks=30, repeats=3), START_RATES, uniforms(1), runs=80)
    assert effect == pytest.approx(0.20, abs=0.03)


def test_the_chance_rises_with_the_effect() -> None:
    design = Design(tasks=30, repeats=3)
    chances = [chance_to_promote(design, START_RATES, effect, uniforms(5), runs=40) for effect in (0.05, 0.2, 0.35)]
    assert sorted(chances) == chances
    assert chances[0] < chances[2]


def test_the_same_seed_gives_the_same_uniform_numbers() -> None:
    first, second = (list(itertools.islice(uniforms(9), 5000)) for _ in range(2))
    assert first == second
    assert stats.kstest(first, "uniform").pvalue > 0.01


@pytest.mark.parametrize(("tasks", "repeats"), [(0, 3), (30, 0), (30, 9)])
def test_an_impossible_design_is_refused(tasks: int, repeats: int) -> None:
    with pytest.raises(InputError, match="a design needs"):
        Design(tasks=tasks, repeats=repeats)
