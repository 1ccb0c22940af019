from decimal import Decimal

import pytest

from texttable.numbers import align_points, format_number


@pytest.mark.parametrize(
    ("value", "places", "text"),
    [
        (3, None, "3"),
        (2.50, None, "2.5"),
        (Decimal("2.50"), None, "2.50"),
        (3, 2, "3.00"),
        (2.5, 0, "3"),
        (-0.125, 2, "-0.13"),
        (-0.001, 2, "0.00"),
        (1e21, None, "1000000000000000000000"),
        (float("inf"), 2, "inf"),
    ],
)
def test_number_is_written_with_its_places(value, places, text):
    """Halves go away from zero, minus zero is zero, and there is no exponent."""
    assert format_number(value, places) == text


def test_grouping_sets_off_three_digits():
    """Only digits before the point are grouped."""
    assert format_number(-1234567.125, 2, ",") == "-1,234,567.13"


def test_points_line_up_once_cells_stand_right():
    """Numbers get blanks for the places that others have more."""
    assert align_points(["1.5", "12", "0.25"]) == ["1.5 ", "12   ", "0.25"]
