from fractions import Fraction

import pytest

from harness.report.figures import day_and_hours, duration, in_cents, money, p_text, percent, rates, signed


@pytest.mark.parametrize(
    ("rate", "shown"), [(0, "0 %"), (1, "100 %"), (Fraction(1, 300), "under 1 %"), (0.998, "over 99 %"), (0.525, "52 %")]
)
def test_a_share_is_shown_as_0_or_100_only_when_it_is(rate: float, shown: str) -> None:
    assert percent(rate) == shown


def test_rates_that_differ_never_look_equal() -> None:
    assert rates(0.501, 0.504) == ("50.1 %", "50.4 %")
    assert rates(0.5, 0.5) == ("50 %", "50 %")


@pytest.mark.parametrize(("number", "shown"), [(3.2, "+3"), (-3.6, "−4"), (0.2, "0"), (-0.2, "0")])  # noqa: RUF001
def test_a_difference_has_its_sign_and_none_for_nothing(number: float, shown: str) -> None:
    assert signed(number) == shown


def test_an_unknown_price_is_never_zero() -> None:
    assert [money(None), money(0.0), money(1234.5)] == ["unknown", "$0", "$1,234.50"]


def test_cents_add_up_to_the_rounded_sum() -> None:
    parts = (0.333, 0.333, 0.334, 2.006)
    assert round(sum(in_cents(parts)), 2) == round(sum(parts), 2)
    assert in_cents(()) == ()


@pytest.mark.parametrize(
    ("p", "shown"),
    [
        (1, "1.00"),
        (0.17, "0.17"),
        (0.0195, "0.0195"),
        (0.00062, "0.00062"),
        (0.0000019, "0.0000019"),
        (1e-12, "under 0.000000001"),
        (0, "0.00000"),
    ],
)
def test_a_p_has_enough_digits_to_be_told_from_its_neighbours(p: float, shown: str) -> None:
    assert p_text(p) == shown


def test_times_are_told_in_utc_with_both_days_where_they_differ() -> None:
    first, last = "2026-11-29T22:00:01.000Z", "2026-11-30T03:24:00.000Z"
    assert day_and_hours(first, last) == "29 November 2026, 22:00 to 30 November, 03:24 UTC"
    assert day_and_hours(first, first) == "29 November 2026, 22:00 to 22:00 UTC"
    assert duration(first, last) == "5 h 24 min"
    assert duration(first, "2026-11-29T22:00:12.000Z") == "11 s"
