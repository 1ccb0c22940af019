import pytest

from harness.budget import Budget, BudgetSpentError
from harness.errors import ConfigError


def test_a_reservation_that_would_pass_the_limit_is_refused_before_anything_is_spent() -> None:
    budget = Budget(max_usd=1.0, max_hours=None, clock=lambda: 0.0)
    budget.reserve(0.6)
    with pytest.raises(BudgetSpentError, match=r"\$0.00 of \$1.00 are spent"):
        budget.reserve(0.6)


def test_booking_replaces_the_reservation_by_what_it_did_cost() -> None:
    budget = Budget(max_usd=1.0, max_hours=None, clock=lambda: 0.0)
    for _ in range(3):
        budget.reserve(0.6)
        budget.book(0.6, 0.1)
    assert budget.spent == pytest.approx(0.3)


def test_hours_are_counted_from_the_start_and_then_nothing_more_begins() -> None:
    now = [0.0]
    budget = Budget(max_usd=None, max_hours=1.0, clock=lambda: now[0])
    budget.reserve(5.0)
    now[0] = 3600.0
    with pytest.raises(BudgetSpentError, match="hours"):
        budget.reserve(0.0)


def test_an_unknown_cost_under_a_limit_is_an_error_and_not_zero() -> None:
    budget = Budget(max_usd=1.0, max_hours=None, clock=lambda: 0.0)
    budget.reserve(0.1)
    with pytest.raises(ConfigError, match="price is unknown"):
        budget.book(0.1, None)


def test_money_kept_back_is_the_mean_of_what_trials_did_cost_and_what_they_reserve_beside_it() -> None:
    budget = Budget(max_usd=10.0, max_hours=None, clock=lambda: 0.0)
    for _ in range(10):
        budget.reserve(1.0)
        budget.book(1.0, 0.5)
    budget.keep_back(6)  # 6 * $0.50, and $1.00 that a trial reserves
    budget.reserve(1.0)
    with pytest.raises(BudgetSpentError, match="but for 6 trials at the night's end"):
        budget.reserve(1.0)
    budget.book(1.0, 0.5)
    budget.keep_back(0)
    for _ in range(6):
        budget.reserve(1.0)
        budget.book(1.0, 0.5)


def test_time_kept_back_is_what_as_many_trials_took_so_far() -> None:
    now = [0.0]
    budget = Budget(max_usd=None, max_hours=1.0, clock=lambda: now[0])
    for _ in range(10):
        budget.reserve(0.0)
        now[0] += 180.0
        budget.book(0.0, 0.0)
    budget.keep_back(9)
    budget.reserve(0.0)
    now[0] += 180.0
    budget.book(0.0, 0.0)
    with pytest.raises(BudgetSpentError, match="hours"):
        budget.reserve(0.0)
    budget.keep_back(0)
    budget.reserve(0.0)
