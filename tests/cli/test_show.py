import pytest

from harness.cli.show import luck, points


@pytest.mark.parametrize(
    ("p", "shown"),
    [(0.5, "0.50000"), (0.00078, "0.00078"), (0.00001, "0.00001"), (0.000004, "under 0.00001"), (2**-30, "under 0.00001")],
)
def test_luck_that_is_small_is_never_shown_as_none(p: float, shown: str) -> None:
    assert luck(p) == shown


@pytest.mark.parametrize(
    ("difference", "shown"), [(0.0, "+0"), (-0.004, "+0"), (-0.006, "-1"), (0.5, "+50"), (-0.1, "-10"), (float("nan"), "+nan")]
)
def test_a_difference_that_rounds_to_nothing_has_no_minus(difference: float, shown: str) -> None:
    assert points(difference) == shown
