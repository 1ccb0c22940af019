import threading
from dataclasses import replace

import pytest

from harness.budget import (
    Amount,
    Budget,
    BudgetedProposer,
    BudgetSpentError,
    Generations,
    Limit,
    Metered,
    Purse,
    amount,
)
from harness.errors import ConfigError
from harness.ports import ModelRequest, Proposal, ProposalRequest, TrialEndedError
from harness.rollout import Call, Ending, Usage
from harness.skill import Variant
from harness.skill_io import make_skill
from harness.testing import QueuedModel
from harness.tree import Tree

DOLLAR = Limit(name="run", usd=1.0)
SKILL = make_skill(Tree.of({"AGENTS.md": "Look.\n"}), "coding", "test")
REQUEST = ProposalRequest(generation=1, campaign="c", baseline=Variant(skill=SKILL), failures=(), rejected=())


def held(*limits: Limit) -> Budget:
    return Budget(limits, max_hours=None, clock=lambda: 0.0)


def call(usd: float | None) -> Call:
    return Call(role="coder", model="m", usage=Usage(input=7, output=5, calls=1), cost_usd=usd)


def test_a_reservation_that_would_pass_the_limit_is_refused_and_says_what_is_on_its_way() -> None:
    budget = held(DOLLAR)
    budget.reserve(Amount(usd=0.6))
    with pytest.raises(BudgetSpentError, match=r"\$0.00 of the run's \$1.00 are spent and \$0.60 are on their way"):
        budget.reserve(Amount(usd=0.6))
    assert budget.in_flight == 0.6


def test_booking_replaces_the_reservation_by_what_it_did_cost() -> None:
    budget = held(DOLLAR)
    for _ in range(3):
        budget.reserve(Amount(usd=0.6))
        budget.book(Amount(usd=0.6), Amount(usd=0.1))
    assert (budget.spent, budget.in_flight) == (pytest.approx(0.3), pytest.approx(0.0))


@pytest.mark.parametrize("name", ["campaign", "month"])
def test_what_was_spent_before_this_run_counts(name: str) -> None:
    budget = held(Limit(name=name, usd=10.0, before=Amount(usd=9.5)))
    budget.reserve(Amount(usd=0.5))
    with pytest.raises(BudgetSpentError, match=f"{name}'s"):
        budget.reserve(Amount(usd=0.1))


@pytest.mark.parametrize(
    ("limit", "words"), [(Limit(name="run", tokens=100), "output tokens"), (Limit(name="run", calls=10), "model calls")]
)
def test_tokens_and_calls_are_limits_of_their_own(limit: Limit, words: str) -> None:
    budget = held(limit)
    most = Amount(tokens=60, calls=6)
    budget.reserve(most)
    budget.book(most, Amount(tokens=30, calls=3))
    budget.reserve(most)
    with pytest.raises(BudgetSpentError, match=words):
        budget.reserve(most)


def test_hours_are_counted_from_the_start_and_then_nothing_more_begins() -> None:
    now = [0.0]
    budget = Budget((), max_hours=1.0, clock=lambda: now[0])
    budget.reserve(Amount(usd=5.0))
    now[0] = 3600.0
    with pytest.raises(BudgetSpentError, match="hours"):
        budget.reserve(Amount())


def test_an_unknown_cost_under_a_limit_in_money_is_an_error_and_not_zero() -> None:
    budget = held(DOLLAR)
    budget.reserve(Amount(usd=0.1))
    with pytest.raises(ConfigError, match="price is unknown"):
        budget.book(Amount(usd=0.1), amount([call(0.1), call(None)]))


def test_what_calls_come_to_is_their_sum_and_unknown_where_one_is() -> None:
    assert amount([call(0.1), call(0.2)]) == Amount(usd=pytest.approx(0.3), tokens=10, calls=2)  # type: ignore[arg-type]
    assert amount([call(0.1), call(None)]).usd is None


def test_reservations_of_many_threads_never_pass_the_line() -> None:
    budget = held(DOLLAR)
    taken: list[int] = []

    def take() -> None:
        try:
            budget.reserve(Amount(usd=0.1))
        except BudgetSpentError:
            return
        taken.append(1)

    threads = [threading.Thread(target=take) for _ in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(taken) in {9, 10}  # ten tenths are not quite one


class _Costly:
    asked = 0

    def propose(self, request: ProposalRequest) -> Proposal:  # noqa: ARG002
        self.asked += 1
        return Proposal(variant=None, find="", replace="", problem="no-op", calls=(call(0.3),))


def test_a_refused_proposal_is_booked_and_none_is_asked_for_that_could_pass_the_line() -> None:
    budget, costly = held(DOLLAR), _Costly()
    proposer = BudgetedProposer(costly, budget, Amount(usd=0.5, calls=1))
    proposer.propose(REQUEST)
    proposer.propose(REQUEST)
    with pytest.raises(BudgetSpentError):
        proposer.propose(REQUEST)
    assert (costly.asked, budget.spent) == (2, pytest.approx(0.6))


class _Failing:
    def propose(self, request: ProposalRequest) -> Proposal:  # noqa: ARG002
        raise TrialEndedError(Ending.MISSING_API, "the stream broke", (call(0.3),))


def test_what_a_proposer_is_charged_for_although_its_call_failed_is_booked() -> None:
    budget = held(DOLLAR)
    proposer = BudgetedProposer(_Failing(), budget, Amount(usd=0.5, calls=1))
    for _ in range(2):
        with pytest.raises(TrialEndedError):
            proposer.propose(REQUEST)
    assert (budget.spent, budget.in_flight) == (pytest.approx(0.6), 0.0)


def spent(budget: Budget, reserved: float, actual: float) -> None:
    budget.reserve(Amount(usd=reserved))
    budget.book(Amount(usd=reserved), Amount(usd=actual), trials=1)


def test_money_kept_back_is_the_mean_of_what_trials_did_cost_and_what_they_reserve_beside_it() -> None:
    budget = held(Limit(name="run", usd=10.0))
    for _ in range(10):
        spent(budget, 1.0, 0.5)
    budget.keep_back(6)  # 6 * $0.50, and $1.00 that a trial reserves
    budget.reserve(Amount(usd=1.0))
    with pytest.raises(BudgetSpentError, match="but for 6 trials at the night's end"):
        budget.reserve(Amount(usd=1.0))
    budget.book(Amount(usd=1.0), Amount(usd=0.5), trials=1)
    budget.keep_back(0)
    for _ in range(6):
        spent(budget, 1.0, 0.5)


def test_time_kept_back_is_what_as_many_trials_took_so_far() -> None:
    now = [0.0]
    budget = Budget((), max_hours=1.0, clock=lambda: now[0])
    for _ in range(10):
        budget.reserve(Amount())
        now[0] += 180.0
        budget.book(Amount(), Amount(), trials=1)
    budget.keep_back(9)
    budget.reserve(Amount())
    now[0] += 180.0
    budget.book(Amount(), Amount(), trials=1)
    with pytest.raises(BudgetSpentError, match="hours"):
        budget.reserve(Amount())
    budget.keep_back(0)
    budget.reserve(Amount())


def test_a_part_that_is_spent_stops_the_whole_run_and_says_whose_money_it_was() -> None:
    part = held(Limit(name="reviewers", usd=1.0))
    whole = Budget((Limit(name="run", usd=10.0),), max_hours=None, clock=lambda: 0.0, part=part)
    whole.reserve(Amount(usd=0.5))
    part.book(Amount(), Amount(usd=1.2))
    with pytest.raises(BudgetSpentError, match=r"\$1\.20 of the reviewers' \$1\.00 are spent"):
        whole.reserve(Amount(usd=0.5))


ASKED = ModelRequest(role="reviewer", subject="s", task="t", model="m", system=(), messages=(), max_tokens=1000)


def metered(answers: list[object], *budgets: Budget, cost: float = 0.5) -> tuple[Metered, QueuedModel]:
    """A model whose calls may cost 50 cents each at most."""
    queued = QueuedModel(answers, cost_usd=cost)  # type: ignore[arg-type]
    return Metered(queued, budgets, lambda _, usage: usage.output * 0.0005), queued


def test_a_metered_model_books_every_call_as_it_comes_also_one_without_an_answer() -> None:
    budget, lost = held(DOLLAR), call(0.25)
    model, _ = metered([([], "end_turn"), TrialEndedError(Ending.MISSING_API, "cut", (lost,))], budget)
    assert model.send(ASKED).stop_reason == "end_turn"
    assert budget.spent == 0.5
    with pytest.raises(TrialEndedError):
        model.send(ASKED)
    assert (budget.spent, budget.in_flight) == (0.75, 0.0)


def test_a_call_that_could_pass_a_line_is_not_made_and_nothing_of_it_stays_reserved() -> None:
    part, whole = held(Limit(name="reviewers", usd=5.0)), held(DOLLAR)
    model, queued = metered([([], "end_turn")] * 3, part, whole, cost=0.3)
    model.send(ASKED)
    whole.reserve(Amount(usd=0.4))  # an agent at work beside it
    with pytest.raises(BudgetSpentError, match=r"\$0\.30 of the run's \$1\.00 are spent and \$0\.40 are on their way"):
        model.send(ASKED)
    assert len(queued.requests) == 1
    assert (part.spent, part.in_flight, whole.spent, whole.in_flight) == (0.3, 0.0, 0.3, 0.4)


def test_the_reviewers_own_limit_is_held_before_a_call_and_not_after_it() -> None:
    part = held(Limit(name="reviewers", usd=0.6))
    model, queued = metered([([], "end_turn")] * 3, part, held(Limit(name="run", usd=9.0)), cost=0.2)
    model.send(ASKED)
    with pytest.raises(BudgetSpentError, match="reviewers'"):
        model.send(ASKED)
    assert (len(queued.requests), part.spent) == (1, 0.2)


def test_what_was_begun_is_ended_after_the_hours_and_from_what_was_kept_back() -> None:
    now = [0.0]
    budget = Budget((Limit(name="run", usd=2.0),), max_hours=1.0, clock=lambda: now[0])
    spent(budget, 1.0, 0.5)
    budget.keep_back(2)
    model, _ = metered([([], "end_turn")], budget)
    now[0] = 3601.0
    with pytest.raises(BudgetSpentError, match="hours"):
        budget.reserve(Amount(usd=0.1))
    assert model.send(ASKED).stop_reason == "end_turn"


def test_a_purse_holds_the_most_until_the_agent_is_done_and_gives_back_what_never_ran() -> None:
    budget = held(DOLLAR)
    one = Purse((budget,), Amount(usd=0.8))
    one.open()
    assert (budget.spent, budget.in_flight) == (0.0, 0.8)
    one.settle([call(0.25)])
    one.settle((), trials=1)
    assert (budget.spent, budget.in_flight) == (0.25, 0.0)
    cut = Purse((budget,), Amount(usd=0.7))
    cut.open()
    cut.settle((), trials=1)
    assert (budget.spent, budget.in_flight) == (0.25, 0.0)


def test_a_call_counts_for_the_generation_that_its_subject_works_for_and_for_no_other() -> None:
    generations = Generations(lambda number: Limit(name=f"generation {number}", usd=0.6))
    generations.enter("s", 7)
    generations.enter("other", 8)
    budget, queued = held(Limit(name="run", usd=9.0)), QueuedModel([([], "end_turn")] * 3, cost_usd=0.3)
    model = Metered(queued, (budget,), lambda _, usage: usage.output * 0.0005, generations)
    model.send(ASKED)
    with pytest.raises(BudgetSpentError, match="generation 7's"):
        model.send(ASKED)
    model.send(replace(ASKED, subject="other"))
    model.send(replace(ASKED, subject="of no generation"))
    assert (budget.spent, budget.in_flight) == (pytest.approx(0.9), pytest.approx(0.0))
