import pytest

from harness.budget import Budget, BudgetSpentError, Metered
from harness.errors import ConfigError
from harness.ports import ModelRequest, TrialEndedError
from harness.rollout import Call, Ending, Usage
from harness.testing import QueuedModel


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


def test_a_part_that_is_spent_stops_the_whole_run_and_says_whose_money_it_was() -> None:
    part = Budget(max_usd=1.0, max_hours=None, clock=lambda: 0.0, name="reviewers")
    whole = Budget(max_usd=10.0, max_hours=None, clock=lambda: 0.0, part=part)
    whole.reserve(0.5)
    part.book(0.0, 1.2)
    with pytest.raises(BudgetSpentError, match=r"\$1\.20 of \$1\.00 for reviewers are spent"):
        whole.reserve(0.5)


def test_a_metered_model_books_every_call_as_it_comes_also_one_without_an_answer() -> None:
    lost = Call(role="reviewer", model="m", usage=Usage(input=7, calls=1), cost_usd=0.25)
    budget = Budget(max_usd=1.0, max_hours=None, clock=lambda: 0.0)
    model = Metered(QueuedModel([([], "end_turn"), TrialEndedError(Ending.MISSING_API, "cut", (lost,))], cost_usd=0.5), budget)
    request = ModelRequest(role="reviewer", subject="s", task="t", model="m", system=(), messages=(), max_tokens=1)
    assert model.send(request).stop_reason == "end_turn"
    assert budget.spent == 0.5
    with pytest.raises(TrialEndedError):
        model.send(request)
    assert budget.spent == 0.75
