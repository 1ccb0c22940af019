"""The interval of a share of trials."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from harness.decision.proportion import wilson


@given(judged=st.integers(1, 500), data=st.data())
def test_it_is_the_wilson_interval_of_scipy(judged: int, data: st.DataObject) -> None:
    passed = data.draw(st.integers(0, judged))
    expected = binomtest(passed, judged).proportion_ci(0.9, method="wilson")
    assert wilson(passed, judged, 0.9) == pytest.approx((expected.low, expected.high), abs=1e-12)


@given(judged=st.integers(1, 10_000))
def test_a_share_of_none_or_all_has_that_very_end(judged: int) -> None:
    assert wilson(0, judged)[0] == 0.0
    assert wilson(judged, judged)[1] == 1.0


def test_nothing_judged_says_nothing() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
