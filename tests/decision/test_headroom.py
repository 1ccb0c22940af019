from __future__ import annotations

from fractions import Fraction

import pytest

from harness.decision.headroom import NextStep, preflight
from harness.decision.rules import Rules, Saturated
from harness.decision.scorecard import Outcome
from harness.trial import Arm


def sweeps(style: list[str]) -> list[Outcome]:
    """Baseline trials that fail tests and review always; style by task and sweep, - for missing."""
    return [
        Outcome(
            arm=Arm.BASELINE, task=str(task), repeat=repeat, tests=False, style={"1": True, "0": False}.get(mark), review=False
        )
        for task, marks in enumerate(style)
        for repeat, mark in enumerate(marks, start=1)
    ]


def test_headroom_counts_room_flaky_tasks_and_missing_trials() -> None:
    style = preflight(sweeps(["11", "10", "00", "1-", "--"]), Rules()).gates[1]
    assert (4, Fraction(5, 8), 2, 1, 10, 3) == (
        style.tasks,
        style.rate,
        style.room,
        style.flaky,
        style.trials,
        style.missing,
    )


@pytest.mark.parametrize(
    ("style", "step"),
    [
        (["0"] * 5 + ["1"] * 15, NextStep.GO),
        (["0"] * 4 + ["1"] * 16, NextStep.SWEEP_AGAIN),
        (["01"] * 4 + ["11"] * 15 + ["10"], NextStep.GO),
        (["01"] * 4 + ["11"] * 16, NextStep.BLOCKED),
    ],
)
def test_only_after_as_many_sweeps_as_looks_is_a_gate_without_room_blocked(style: list[str], step: NextStep) -> None:
    assert step is preflight(sweeps(style), Rules(looks=2)).next_step


def test_a_blocked_gate_says_how_many_harder_tasks_it_needs() -> None:
    assert preflight(sweeps(["0"] * 3 + ["1"] * 25), Rules(looks=1)).reason == (
        "Not judged: the baseline fails style on only 3 of 28 holdout tasks, so even a perfect variant could reach no better "
        "than 12,500 in 100,000, and at most 5,000 are allowed. Add two harder tasks."
    )


def test_the_relaxed_rule_goes_on_with_a_gate_without_room() -> None:
    rules = Rules(looks=1, saturated=Saturated.NON_INFERIOR, margin=0.05)
    assert NextStep.GO is preflight(sweeps(["1"] * 20), rules).next_step
