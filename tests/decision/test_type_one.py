"""How often the rule is wrong when the variant is no better: simulated small, the large figures stand in the benchmarks."""

from __future__ import annotations

import math

import numpy as np
import pytest

from harness.decision.looks import levels
from harness.decision.power import START_RATES, Design, chance_to_promote, uniforms
from harness.decision.signflip import p_value

RUNS = 1500


@pytest.mark.parametrize(("tasks", "looks", "spread"), [(28, 5, 1.0), (12, 3, 0.0), (60, 8, 2.0)])
def test_a_variant_that_equals_the_baseline_beats_a_gate_at_any_look_at_most_alpha_often(
    tasks: int, looks: int, spread: float
) -> None:
    rng = np.random.default_rng(tasks)
    allowed = levels(0.05, looks)
    wrong = 0
    for _ in range(RUNS):
        chance = 1 / (1 + np.exp(-spread * rng.standard_normal(tasks)))
        passed = rng.random((2, looks, tasks)) < chance
        totals = np.cumsum(passed[1].astype(int) - passed[0], axis=0)
        wrong += any(p_value(sums) <= level for sums, level in zip(totals.tolist(), allowed, strict=True))
    assert wrong / RUNS <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / RUNS)


def test_the_whole_rule_promotes_an_equal_variant_almost_never() -> None:
    assert chance_to_promote(Design(tasks=30, repeats=3), START_RATES, 0.0, uniforms(7), runs=150) <= 0.05
