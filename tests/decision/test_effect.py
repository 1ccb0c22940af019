from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from harness.decision.effect import measure, t_of, t_quantile
from harness.decision.signflip import TaskDifference

TASKS = st.integers(1, 5).flatmap(lambda pairs: st.builds(lambda total: (total, pairs), st.integers(-pairs, pairs)))


def differences(tasks: list[tuple[int, int]]) -> list[TaskDifference]:
    return [TaskDifference(total=total, pairs=pairs) for total, pairs in tasks]


@given(st.lists(TASKS, min_size=2, max_size=30))
def test_mean_t_and_interval_are_those_of_scipy_over_tasks(tasks: list[tuple[int, int]]) -> None:
    shares = [total / pairs for total, pairs in tasks]
    effect = measure(differences(tasks))
    assert effect.interval is not None
    if len({Fraction(*task) for task in tasks}) == 1:
        assert (shares[0], shares[0]) == pytest.approx(effect.interval)
        return
    oracle = stats.ttest_1samp(shares, 0)
    assert oracle.statistic == pytest.approx(effect.t, abs=1e-9)
    assert tuple(oracle.confidence_interval()) == pytest.approx(effect.interval, rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 7, 8, 27, 28, 99, 400])
def test_the_t_quantile_is_that_of_scipy(freedom: int) -> None:
    assert stats.t.ppf(0.975, freedom) == pytest.approx(t_quantile(freedom), rel=1e-8)


@pytest.mark.parametrize(
    ("tasks", "t"),
    [([(0, 1)] * 5, 0.0), ([(1, 1)] * 5, math.inf), ([(-1, 2)] * 5, -math.inf), ([(1, 1)], math.inf), ([(1, 1), (-1, 1)], 0.0)],
)
def test_without_variance_t_is_zero_for_a_zero_mean_and_else_infinite(tasks: list[tuple[int, int]], t: float) -> None:
    assert t == measure(differences(tasks)).t


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(3, 5)), max_size=20))
def test_a_look_sees_the_t_that_is_reported(tasks: list[tuple[int, int]]) -> None:
    differences = [TaskDifference(total=total, pairs=pairs) for total, pairs in tasks]
    assert t_of(differences) == measure(differences).t


def test_one_task_has_an_effect_but_no_interval() -> None:
    effect = measure(differences([(1, 3)]))
    assert (Fraction(1, 3), None) == (effect.delta, effect.interval)


def test_no_task_has_no_effect() -> None:
    assert (measure([]).delta, measure([]).t, measure([]).interval) == (None, 0.0, None)


@given(st.permutations([(1, 3), (-2, 5), (0, 1), (2, 2), (1, 4), (-1, 3)]))
def test_the_order_of_tasks_changes_no_digit(tasks: list[tuple[int, int]]) -> None:
    assert measure(differences([(1, 3), (-2, 5), (0, 1), (2, 2), (1, 4), (-1, 3)])) == measure(differences(tasks))
