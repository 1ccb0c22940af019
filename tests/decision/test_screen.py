from __future__ import annotations

import math

import pytest

from harness.decision.scorecard import Outcome
from harness.decision.screen import (
    BaselineCount,
    ScreenResult,
    after_block,
    block_tasks,
    count_baseline,
    rank_survivors,
)
from harness.errors import InputError
from harness.gates import Gate
from harness.trial import Arm

HALF = tuple(BaselineCount(task=task, gate=gate, passes=2, valid=4) for task in "abcde" for gate in Gate)


def trial(task: str, repeat: int, tests: bool | None, style: bool | None, review: bool | None) -> Outcome:  # noqa: FBT001
    return Outcome(arm=Arm.VARIANT, task=task, repeat=repeat, tests=tests, style=style, review=review)


def alike(passed: str, blocks: int = 1) -> list[Outcome]:
    """The variant passes all gates where the string says 1, task by task, block by block."""
    return [
        trial(task, repeat, *[mark == "1"] * 3)
        for repeat in range(1, blocks + 1)
        for task, mark in zip("abcde", passed, strict=True)
    ]


def result(z_mean: float, z_min: float, block: int = 10, *, dropped: bool = False) -> ScreenResult:
    return ScreenResult(block=block, gates=(), z_mean=z_mean, z_min=z_min, dropped=dropped, reason="")


def test_blocks_take_the_next_five_tasks_of_the_order_and_cycle() -> None:
    order = ("a", "b", "c", "d", "e", "f", "g")
    assert block_tasks(order, 1) == (("a", 1), ("b", 1), ("c", 1), ("d", 1), ("e", 1))
    assert block_tasks(order, 2) == (("f", 1), ("g", 1), ("a", 2), ("b", 2), ("c", 2))
    assert block_tasks(order, 10)[-1] == ("a", 8)


def test_the_standing_follows_the_formula() -> None:
    baseline = (
        BaselineCount(task="a", gate=Gate.TESTS, passes=3, valid=4),
        BaselineCount(task="b", gate=Gate.TESTS, passes=0, valid=4),
        *(BaselineCount(task=task, gate=gate, passes=2, valid=4) for task in "ab" for gate in (Gate.STYLE, Gate.REVIEW)),
    )
    trials = [trial("a", 1, True, True, False), trial("b", 1, True, None, None), trial("a", 2, False, True, True)]  # noqa: FBT003
    q = 4 / 10
    p_a, p_b = (3 + 2 * q) / 6, 2 * q / 6
    v_a, v_b = p_a * (1 - p_a), p_b * (1 - p_b)
    excess = (1 - p_a) + (0 - p_a) + (1 - p_b)
    variance = 2 * v_a + 4 * v_a / 7 + v_b + v_b / 7
    standing = after_block(baseline, trials, 1)
    assert (excess, variance, 3) == (
        pytest.approx(standing.gates[0].excess),
        pytest.approx(standing.gates[0].variance),
        standing.gates[0].trials,
    )
    other = 2 * 0.25 + 4 * 0.25 / 7
    assert (excess + 1 + 0) / math.sqrt(1.6 * (variance + 2 * other)) == pytest.approx(standing.z_mean)
    assert min(excess / math.sqrt(variance), 0.0) == pytest.approx(standing.z_min)


@pytest.mark.parametrize(("passed", "dropped"), [("11111", False), ("11100", False), ("11000", True), ("00000", True)])
def test_below_the_line_of_its_block_a_variant_is_dropped(passed: str, dropped: bool) -> None:  # noqa: FBT001
    assert dropped == after_block(HALF, alike(passed), 1).dropped


def test_one_bad_gate_drops_a_variant_that_is_ahead_in_all() -> None:
    trials = [trial(task, 1, tests=True, style=True, review=False) for task in "abcde"]
    standing = after_block(HALF, trials, 1)
    assert standing.z_mean > 0
    assert standing.dropped
    assert standing.reason == (
        "Dropped after 5 dev trials: review passed less often than with the baseline (\N{MINUS SIGN}50 points), "
        "so no holdout task was spent."
    )


def test_no_better_in_all_is_dropped_later() -> None:
    standing = after_block(HALF, alike("11100") + [trial(t, 2, *[t in "ab"] * 3) for t in "abcde"], 2)
    assert standing.reason == (
        "Dropped after 10 dev trials: the three gates together passed no more often than with the baseline (0 points), "
        "so no holdout task was spent."
    )


def test_missing_trials_are_skipped_and_nothing_valid_drops_nobody() -> None:
    nothing = after_block(HALF, [trial(task, 1, None, None, None) for task in "abcde"], 2)
    assert (nothing.z_mean, nothing.z_min, nothing.dropped) == (0.0, 0.0, False)


def test_a_variant_survives_by_standing_above_the_line_after_the_last_block() -> None:
    assert after_block(HALF, alike("11111", 10), 10).survived
    assert not after_block(HALF, alike("11111", 9), 9).survived
    assert not after_block(HALF, alike("11000", 10), 10).survived


def test_survivors_are_ranked_by_mean_and_half_the_worst_gate() -> None:
    screened = {
        "even": result(2.0, 1.0),
        "lopsided": result(2.2, -1.0),
        "twin": result(2.0, 1.0),
        "out": result(3.0, 2.0, dropped=True),
        "unfinished": result(3.0, 2.0, block=4),
    }
    assert rank_survivors(screened) == ("even", "twin", "lopsided")


def test_baseline_counts_leave_missing_trials_out_and_do_not_look_at_the_other_arm() -> None:
    rows = [
        Outcome(arm=Arm.BASELINE, task="a", repeat=1, tests=True, style=None, review=False),
        Outcome(arm=Arm.BASELINE, task="a", repeat=2, tests=True, style=True, review=True),
        trial("a", 1, tests=False, style=False, review=False),
    ]
    assert {(Gate.TESTS, 2, 2), (Gate.STYLE, 1, 1), (Gate.REVIEW, 1, 2)} == {
        (count.gate, count.passes, count.valid) for count in count_baseline(rows)
    }


def test_a_task_without_baseline_counts_is_refused() -> None:
    with pytest.raises(InputError, match="no baseline count for task z"):
        after_block(HALF, [trial("z", 1, tests=True, style=True, review=True)], 1)


@pytest.mark.parametrize("block", [0, 11])
def test_a_block_that_does_not_exist_is_refused(block: int) -> None:
    with pytest.raises(InputError, match="blocks 1 to 10"):
        after_block(HALF, [], block)
    with pytest.raises(InputError, match="blocks 1 to 10"):
        block_tasks(("a",), block)
