from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from harness.decision.signflip import TaskDifference, p_value, scaled

SCORES = st.lists(st.integers(-6, 6), max_size=9)


def by_hand(scores: list[int]) -> Fraction:
    sums = [sum(signs) for signs in itertools.product(*((-abs(score), abs(score)) for score in scores))]
    return Fraction(sum(total >= sum(scores) for total in sums), len(sums))


@given(SCORES)
def test_p_is_the_share_of_sign_choices_that_reach_the_sum(scores: list[int]) -> None:
    assert by_hand(scores) == p_value(scores)


@pytest.mark.parametrize("seed", range(6))
def test_p_is_that_of_the_exact_permutation_test_of_scipy(seed: int) -> None:
    scores = np.random.default_rng(seed).integers(-5, 6, size=11)
    oracle = stats.permutation_test(
        (scores,), np.sum, permutation_type="samples", n_resamples=np.inf, alternative="greater", vectorized=True
    )
    assert oracle.pvalue == float(p_value(scores.tolist()))


@given(won=st.integers(0, 40), lost=st.integers(0, 40))
def test_with_one_repeat_p_is_that_of_the_exact_mcnemar_test(won: int, lost: int) -> None:
    oracle = stats.binomtest(won, won + lost, alternative="greater").pvalue if won + lost else 1.0
    assert oracle == pytest.approx(float(p_value([1] * won + [-1] * lost)), rel=1e-12)


@given(SCORES, st.integers(0, 5))
def test_ties_change_nothing(scores: list[int], ties: int) -> None:
    assert p_value(scores) == p_value([*scores, *[0] * ties])


@given(st.permutations([3, -1, 2, 0, -2, 5, 1, 1]))
def test_the_order_of_tasks_does_not_matter(scores: list[int]) -> None:
    assert p_value([3, -1, 2, 0, -2, 5, 1, 1]) == p_value(scores)


@given(SCORES, st.integers(1, 840))
def test_scaling_changes_nothing(scores: list[int], unit: int) -> None:
    assert p_value(scores) == p_value([score * unit for score in scores])


@given(SCORES)
def test_p_of_a_table_and_of_its_mirror_add_up_to_one_and_the_chance_of_a_tie(scores: list[int]) -> None:
    sums = [sum(signs) for signs in itertools.product(*((-abs(score), abs(score)) for score in scores))]
    tie = Fraction(sums.count(sum(scores)), len(sums))
    assert 1 + tie == p_value(scores) + p_value([-score for score in scores])


@given(st.data(), st.lists(st.integers(1, 5), min_size=1, max_size=12))
def test_one_more_pass_of_the_variant_never_raises_p(data: st.DataObject, pairs: list[int]) -> None:
    totals = [data.draw(st.integers(-n, n)) for n in pairs]
    at = data.draw(st.integers(0, len(pairs) - 1))
    better = [total + (place == at and total < n) for place, (total, n) in enumerate(zip(totals, pairs, strict=True))]

    def p(sums: list[int]) -> Fraction:
        return p_value(scaled([TaskDifference(total=t, pairs=n) for t, n in zip(sums, pairs, strict=True)]))

    assert p(better) <= p(totals)


@pytest.mark.parametrize("scores", [[], [0], [0, 0, 0]])
def test_nothing_informative_gives_one(scores: list[int]) -> None:
    assert Fraction(1) == p_value(scores)


@pytest.mark.parametrize("room", [1, 4, 5, 200])
def test_a_variant_that_wins_every_task_with_room_reaches_one_in_two_to_their_number(room: int) -> None:
    assert Fraction(1, 2**room) == p_value([1 + task % 5 for task in range(room)])


def test_tasks_weigh_equally_whatever_their_number_of_pairs() -> None:
    differences = [TaskDifference(total=1, pairs=1), TaskDifference(total=-1, pairs=2), TaskDifference(total=2, pairs=3)]
    assert scaled(differences) == (6, -3, 4)


def test_no_task_at_all_scales_to_no_score() -> None:
    assert scaled([]) == ()
