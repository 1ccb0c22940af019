from __future__ import annotations

import pytest
from scipy import stats

from harness.decision.noninferior import p_value
from harness.decision.scorecard import Scorecard, TaskScore
from harness.gates import Gate


def card(lost: list[int], pairs: int) -> Scorecard:
    tasks = tuple(
        TaskScore(task=str(at), pairs=pairs, baseline=pairs, variant=pairs - gone, lost=gone) for at, gone in enumerate(lost)
    )
    return Scorecard(gate=Gate.STYLE, tasks=tasks, missing_pairs=0, missing_baseline=0, missing_variant=0)


def test_without_a_loss_p_is_the_chance_of_none_in_all_pairs() -> None:
    assert pytest.approx(0.95**140, rel=1e-5) == p_value(card([0] * 28, 5), 0.05)


@pytest.mark.parametrize("lost", [1, 3, 6])
def test_p_is_never_below_the_exact_binomial_p(lost: int) -> None:
    exact = stats.binomtest(lost, 140, 0.05, alternative="less").pvalue
    assert exact <= p_value(card([1] * lost + [0] * (28 - lost), 5), 0.05)


def test_losing_the_margin_or_more_is_no_proof_at_all() -> None:
    assert [p_value(card([1] * 20, 20), 0.05), p_value(card([1] * 20, 5), 0.05)] == [1.0, 1.0]


def test_no_task_is_no_proof() -> None:
    assert p_value(card([], 5), 0.05) == 1.0
