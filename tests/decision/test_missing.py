from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from harness.decision.missing import GateMissing, fisher_p
from harness.gates import Gate


@given(st.integers(1, 60).flatmap(lambda of: st.tuples(st.integers(0, of), st.integers(0, of), st.just(of))))
def test_the_p_of_fisher_is_that_of_scipy(counts: tuple[int, int, int]) -> None:
    first, second, of = counts
    oracle = stats.fisher_exact([[first, of - first], [second, of - second]]).pvalue
    assert oracle == pytest.approx(float(fisher_p(first, second, of)), rel=1e-9)


@given(st.integers(1, 60).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of))))
def test_equal_counts_are_no_sign_of_anything(counts: tuple[int, int]) -> None:
    missing, of = counts
    assert Fraction(1) == fisher_p(missing, missing, of)


@pytest.mark.parametrize(("missing", "too_many"), [(0, False), (8, False), (9, True)])
def test_exactly_a_tenth_of_the_pairs_may_be_missing(missing: int, too_many: bool) -> None:  # noqa: FBT001
    counts = GateMissing(
        gate=Gate.TESTS, pairs=80, missing_pairs=missing, baseline=missing, variant=missing, fisher_p=Fraction(1)
    )
    assert too_many == counts.too_many
