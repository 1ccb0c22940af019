"""How much error each of many confirmations may spend."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.decision.multiplicity import Multiplicity, alpha_for, series


def test_the_ledger_gives_every_confirmation_the_whole_alpha() -> None:
    assert {alpha_for(Multiplicity.LEDGER, 0.05, number) for number in (1, 7, 900)} == {0.05}


def test_spending_adds_up_to_alpha_over_any_number_of_confirmations() -> None:
    spent = sum(alpha_for(Multiplicity.SPENDING, 0.05, number) for number in range(1, 20_000))
    assert 0.0499 < spent <= 0.05


def test_the_weights_of_lord_fall_and_never_sum_to_more_than_one() -> None:
    weights = [series(place) for place in range(1, 200_000)]
    assert weights[1:] == sorted(weights[1:], reverse=True)
    far = 200_000  # the rest, by the integral: with u = sqrt(log x) it is 2 u^3 exp(-u), done in closed form
    u = math.sqrt(math.log(far))
    rest = 0.07720838 * 2 * math.exp(-u) * (u**3 + 3 * u**2 + 6 * u + 6)
    assert sum(weights) + rest == pytest.approx(0.976, abs=0.001)


def test_a_promotion_earns_error_for_later_confirmations_only() -> None:
    poor = alpha_for(Multiplicity.LORD, 0.05, 10)
    assert alpha_for(Multiplicity.LORD, 0.05, 10, [9]) > alpha_for(Multiplicity.LORD, 0.05, 10, [2]) > poor
    assert alpha_for(Multiplicity.LORD, 0.05, 10, [10, 11]) == poor


@given(st.integers(1, 300), st.lists(st.integers(1, 300), unique=True, max_size=40))
def test_no_rule_ever_gives_more_than_alpha_nor_nothing(number: int, promoted: list[int]) -> None:
    for kind in Multiplicity:
        assert 0 < alpha_for(kind, 0.05, number, promoted) <= 0.05


@given(st.lists(st.booleans(), min_size=1, max_size=120))
def test_lord_never_bets_more_than_alpha_for_each_promotion_and_one_for_the_start(promotes: list[bool]) -> None:
    """The law behind its false discovery rate: the sum of alphas is at most alpha times the promotions, at least one."""
    promoted: list[int] = []
    spent = 0.0
    for number, wins in enumerate(promotes, start=1):
        spent += alpha_for(Multiplicity.LORD, 0.05, number, promoted)
        promoted += [number] if wins else []
        assert spent <= 0.05 * max(1, len(promoted)) + 1e-6
