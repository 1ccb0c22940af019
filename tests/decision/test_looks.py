from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from harness.decision.looks import futility_lines, levels
from harness.errors import ConfigError

EIGHT = (0.00078, 0.00258, 0.00518, 0.00869, 0.01321, 0.01881, 0.02558, 0.03358)
FIVE = (0.00200, 0.00675, 0.01387, 0.02375, 0.03671)


@pytest.mark.parametrize(("looks", "table"), [(8, EIGHT), (5, FIVE)])
def test_the_published_levels_come_out(looks: int, table: tuple[float, ...]) -> None:
    assert table == tuple(round(level, 5) for level in levels(0.05, looks))


@pytest.mark.parametrize("alpha", [0.001, 0.01, 0.05, 0.1, 0.3])
def test_one_look_may_spend_all_of_alpha(alpha: float) -> None:
    assert (alpha,) == levels(alpha, 1)


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.10])
def test_each_look_has_spent_its_square_share_by_a_multivariate_normal(alpha: float) -> None:
    looks = 4
    bounds = stats.norm.isf(levels(alpha, looks))
    times = np.arange(1, looks + 1)
    correlation = np.sqrt(np.minimum.outer(times, times) / np.maximum.outer(times, times))
    for k in range(2, looks + 1):
        inside = stats.multivariate_normal(cov=correlation[:k, :k], abseps=1e-7, releps=1e-7, maxpts=200_000, seed=k)
        spent = 1 - inside.cdf(bounds[:k])
        assert alpha * (k / looks) ** 2 == pytest.approx(spent, abs=2e-6)


@pytest.mark.parametrize("looks", [5, 8])
def test_random_walks_cross_with_probability_alpha(looks: int) -> None:
    walks = np.cumsum(np.random.default_rng(20_261).standard_normal((400_000, looks)), axis=1)
    z = walks / np.sqrt(np.arange(1, looks + 1))
    crossed = (z >= stats.norm.isf(levels(0.05, looks))).any(axis=1).mean()
    assert pytest.approx(crossed, abs=4 * math.sqrt(0.05 * 0.95 / 400_000)) == 0.05


@given(alpha=st.floats(1e-5, 0.45), looks=st.integers(1, 8))
def test_levels_rise_from_look_to_look_and_never_above_alpha(alpha: float, looks: int) -> None:
    found = levels(alpha, looks)
    assert looks == len(found)
    assert sorted(set(found)) == list(found)
    assert found[-1] <= alpha


@pytest.mark.parametrize(
    ("looks", "lines"),
    [(8, (0, 0.2, 0.4, 0.6, 0.7, 0.8, 0.9)), (5, (0, 0.3, 0.6, 0.9)), (2, (0,)), (1, ())],
)
def test_the_measured_futility_lines_come_out(looks: int, lines: tuple[float, ...]) -> None:
    assert lines == futility_lines(looks)


@pytest.mark.parametrize("looks", range(1, 9))
def test_futility_lines_start_at_a_loss_rise_and_spare_the_last_look(looks: int) -> None:
    lines = futility_lines(looks)
    assert looks - 1 == len(lines)
    assert sorted(set(lines)) == list(lines)
    assert all(line < 1 for line in lines)


@pytest.mark.parametrize(("alpha", "looks"), [(0.0, 5), (0.5, 5), (-0.1, 5), (math.nan, 5), (0.05, 0), (0.05, 9)])
def test_an_impossible_alpha_or_number_of_looks_is_refused(alpha: float, looks: int) -> None:
    with pytest.raises(ConfigError):
        levels(alpha, looks)
