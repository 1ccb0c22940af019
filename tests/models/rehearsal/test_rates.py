from dataclasses import replace

import pytest

from harness.models.rehearsal.deck import deck
from harness.models.rehearsal.rates import Rates, rates, truth
from harness.models.rehearsal.settings import BaseRates
from harness.task import Task

HELPFUL = next(card.text for card in deck() if card.opening and card.kind == "helpful")
TRADE_OFF = next(card.text for card in deck() if card.opening and card.kind == "trade-off")


def rounded(rate: Rates) -> tuple[float, float, float]:
    return round(rate.tests, 6), round(rate.style, 6), round(rate.review, 6)


def test_a_skill_without_directives_has_the_base_rates() -> None:
    assert rounded(rates("Do good work.", "medium")) == (0.52, 0.47, 0.43)


def test_effects_add_up_in_points() -> None:
    assert rounded(rates(f"{HELPFUL} {TRADE_OFF}", "medium", BaseRates(tests=0.3, style=0.4, review=0.2))) == (0.8, 0.6, 0.55)


@pytest.mark.parametrize(("difficulty", "expected"), [("easy", 0.6), ("hard", 0.44), ("unheard of", 0.52)])
def test_easy_tasks_pass_more_and_hard_ones_less(difficulty: str, expected: float) -> None:
    assert rounded(rates("", difficulty))[0] == expected


def test_no_rate_leaves_the_room_for_a_surprise() -> None:
    everything = " ".join(card.text for card in deck() if card.kind == "helpful")
    assert rounded(rates(everything, "easy"))[:2] == (0.98, 0.98)
    assert rounded(rates("", "hard", BaseRates(tests=0.0)))[0] == 0.02


def test_review_can_never_pass_more_often_than_tests() -> None:
    found = rates("", "medium", BaseRates(tests=0.3, review=0.9))
    assert (found.review < found.tests, round(found.review_given_tests, 6)) == (True, 0.98)


def test_the_truth_is_the_mean_over_tasks(task: Task) -> None:
    tasks = [replace(task, difficulty=difficulty) for difficulty in ("easy", "medium", "hard")]
    assert rounded(truth("", tasks)) == (0.52, 0.47, 0.43)
