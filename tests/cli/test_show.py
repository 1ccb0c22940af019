import pytest

from harness.cli.show import luck


@pytest.mark.parametrize(
    ("p", "shown"),
    [(0.5, "0.50000"), (0.00078, "0.00078"), (0.00001, "0.00001"), (0.000004, "under 0.00001"), (2**-30, "under 0.00001")],
)
def test_luck_that_is_small_is_never_shown_as_none(p: float, shown: str) -> None:
    assert luck(p) == shown
