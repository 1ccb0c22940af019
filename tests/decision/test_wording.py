from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.decision.policy import decide
from harness.decision.rules import Rules, Saturated
from harness.decision.scorecard import Outcome
from harness.decision.wording import listed, luck, often, points, retries
from harness.gates import Gate
from harness.trial import Arm

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction


def reason(rules: Rules, tests: Sequence[str], rest: Sequence[str] = ()) -> str:
    """The reason for tasks given as "baseline>variant" on tests; on style and review `rest`, or won everywhere."""
    sweeps = len(tests[0].partition(">")[0])
    won = f"{'0' * sweeps}>{'1' * sweeps}"
    verdict = {"1": True, "0": False}
    rows = []
    for number, (task, other) in enumerate(zip(tests, rest or [won] * len(tests), strict=True)):
        for arm, marks, others in zip(Arm, task.split(">"), other.split(">"), strict=True):
            rows += [
                Outcome(
                    arm=arm,
                    task=f"{number:03}",
                    repeat=sweep + 1,
                    tests=verdict.get(marks[sweep]),
                    style=verdict.get(others[sweep]),
                    review=verdict.get(others[sweep]),
                )
                for sweep in range(sweeps)
            ]
    return decide(rows, rules).reason


ONE = Rules(looks=1)


@pytest.mark.parametrize(
    ("rules", "tests", "sentence"),
    [
        (
            ONE,
            ["0>1"] * 28,
            (
                "With these instructions the coding agent passed tests, style and review more often than with the old ones, "
                "on 28 holdout tasks, each by more than luck explains."
            ),
        ),
        (
            Rules(looks=2),
            ["11>11"] * 12 + ["10>00"] * 13,
            (
                "Stopped at look 1: tests went from 100 % to 48 %, and a win had become too unlikely to pay for more looks. "
                "So far the baseline failed tests on none of 25 holdout tasks."
            ),
        ),
        (
            ONE,
            ["0>1"] * 9 + ["1>0"] * 5 + ["1>1"] * 6,
            (
                "The one look is used: tests rose 20 points, but luck alone does as well 21,198 times in 100,000, and at most "
                "5,000 were allowed. Style and review did beat."
            ),
        ),
        (
            ONE,
            ["0>1"] * 5 + ["1>0"] * 6 + ["1>1"] * 9,
            "The one look is used: tests went from 75 % to 70 %, which is no gain. Style and review did beat.",
        ),
        (
            Rules(looks=1, split=""),
            ["0>1"] * 4 + ["1>1"] * 24,
            (
                "Not judged: the baseline fails tests on only 4 of 28 tasks, so even a perfect variant could reach no "
                "better than 6,250 in 100,000, and at most 5,000 are allowed. Add one harder task."
            ),
        ),
        (
            ONE,
            ["0>1"] * 22 + ["->-"] * 3,
            (
                "No answer: 12 % of the tests pairs are missing (3 of 25), at most 10 % may be. "
                "Fix the cause and run again; its \N{GREEK SMALL LETTER ALPHA} is spent."
            ),
        ),
        (
            ONE,
            ["0>1"] * 5 + ["1>1"] * 44 + ["1>-"],
            (
                "No answer: all three gates beat, but not all of them do once the missing trials are counted against the "
                "variant. Fix the cause and run again; its \N{GREEK SMALL LETTER ALPHA} is spent."
            ),
        ),
        (
            Rules(looks=8),
            ["00>01"] * 7 + ["11>11"] * 5,
            (
                "Not decided after look 2 of 8: tests +29 points, style +100 points and review +100 points; style and review "
                "already beat."
            ),
        ),
        (
            Rules(looks=1, saturated=Saturated.NON_INFERIOR, margin=0.05),
            ["1>1"] * 80,
            (
                "With these instructions the coding agent passed style and review more often than with the old ones, on 80 "
                "holdout tasks, each by more than luck explains; by a relaxed rule: tests may be up to 5 points worse."
            ),
        ),
    ],
)
def test_each_end_says_why_in_words_and_numbers(rules: Rules, tests: list[str], sentence: str) -> None:
    assert sentence == reason(rules, tests)


def test_unequal_missing_names_both_arms() -> None:
    assert "6 of the variant's and 0 of the baseline's 100 tests verdicts are missing" in reason(ONE, ["0>1"] * 94 + ["0>-"] * 6)


@pytest.mark.parametrize(
    ("baseline", "variant", "end"),
    [
        (1, 3, "1 of the baseline's and 3 of the variant's 48 trials"),
        (0, 9, "48 trials, too unequal to be luck (p = 0.0026); find the cause"),
    ],
)
def test_second_tries_are_told_by_arm_and_unequal_ones_are_warned_of(baseline: int, variant: int, end: str) -> None:
    assert retries(0, 0, 48) == ""
    assert retries(baseline, variant, 48).endswith(end)


@given(st.fractions(0, 1), st.floats(1e-6, 0.5))
def test_rounding_never_moves_luck_to_the_other_side_of_what_is_allowed(p: Fraction, level: float) -> None:
    shown, allowed = luck(p, level)
    assert (p <= level) == (shown <= allowed)


def test_luck_is_never_told_as_never() -> None:
    assert [often(0), often(83), often(42_879)] == ["fewer than 1", "83", "42,879"]


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.22, "+22 points"), (-0.08, "\N{MINUS SIGN}8 points"), (0.01, "+1 point"), (0.004, "+0.4 points"), (0, "0 points")],
)
def test_differences_are_told_in_signed_points(share: float, text: str) -> None:
    assert text == points(share, signed=True)


@pytest.mark.parametrize(("names", "text"), [(["a"], "a"), (["a", "b"], "a and b"), (list(Gate), "tests, style and review")])
def test_lists_read_as_a_sentence(names: list[str], text: str) -> None:
    assert text == listed(names)
