from __future__ import annotations

import itertools
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.decision.policy import decide
from harness.decision.result import Decision, DecisionKind, Status, WorstCase
from harness.decision.rules import Rules, Saturated
from harness.decision.scorecard import Outcome
from harness.errors import ConfigError, InputError
from harness.gates import Gate
from harness.trial import Arm

if TYPE_CHECKING:
    from collections.abc import Sequence

RULES = Rules(looks=5)

# One task's outcomes on one gate, sweep by sweep: the baseline's, then the variant's.
WON, TIED, LOST, SOLID = ("00000", "11111"), ("01010", "01010"), ("11111", "00000"), ("11111", "11111")


def table(tests: Sequence[tuple[str, str]], style: Sequence[tuple[str, str]], review: Sequence[tuple[str, str]]) -> list[Outcome]:
    """Outcomes from strings of 1, 0 and - (missing), one pair of strings per task and gate."""
    verdict = {"1": True, "0": False, "-": None}
    return [
        Outcome(
            arm=arm,
            task=f"task-{number:02}",
            repeat=sweep + 1,
            tests=verdict[gates[0][side][sweep]],
            style=verdict[gates[1][side][sweep]],
            review=verdict[gates[2][side][sweep]],
        )
        for number, gates in enumerate(zip(tests, style, review, strict=True))
        for side, arm in enumerate(Arm)
        for sweep in range(len(gates[0][0]))
    ]


def statuses(decision: Decision) -> list[Status]:
    return [gate.status for gate in decision.gates]


def simulated(seed: int, *, missing: float = 0.0) -> list[Outcome]:
    """A table of 12 tasks and three sweeps whose variant leans by nothing up to nearly always, so all decisions come up."""
    rng = np.random.default_rng(seed)
    lean = rng.choice([0.0, 0.3, 0.6, 0.9])
    rows = []
    for arm, task, repeat in itertools.product(Arm, range(12), (1, 2, 3)):
        chance = 0.1 + lean if arm is Arm.VARIANT else 0.3
        verdicts = [None if draw[0] < missing else bool(draw[1] < chance) for draw in rng.random((3, 2))]
        rows.append(Outcome(arm=arm, task=str(task), repeat=repeat, tests=verdicts[0], style=verdicts[1], review=verdicts[2]))
    return rows


SEEDS = st.integers(0, 1 << 32)
COMPLETE = SEEDS.map(simulated)
WITH_MISSING = SEEDS.map(lambda seed: simulated(seed, missing=0.02))
THREE = Rules(looks=3)


def test_a_variant_that_wins_all_three_gates_is_promoted_at_the_first_look_that_allows_it() -> None:
    decision = decide(table([WON] * 9, [WON] * 9, [WON] * 9), RULES)
    assert (decision.kind, decision.look, decision.worst_case) == (DecisionKind.PROMOTE, 1, WorstCase.STANDS)


def test_two_gates_won_and_one_tied_never_promote() -> None:
    decision = decide(table([WON] * 20, [WON] * 20, [TIED] * 20), RULES)
    assert (decision.kind, decision.look) == (DecisionKind.REJECT, 2)
    assert statuses(decision) == [Status.BEATS, Status.BEATS, Status.FUTILE]


@pytest.mark.parametrize("looks", range(1, 9))
def test_identical_outcomes_never_promote_at_any_look(looks: int) -> None:
    same = ("01101001"[:looks],) * 2
    decision = decide(table([same] * 30, [same] * 30, [same] * 30), Rules(looks=looks))
    assert decision.kind is DecisionKind.REJECT


def test_a_loss_ends_at_the_first_look() -> None:
    decision = decide(table([WON] * 9 + [LOST] * 11, [WON] * 20, [WON] * 20), RULES)
    assert (decision.kind, decision.look) == (DecisionKind.REJECT, 1)


def test_a_gate_once_beaten_stays_beaten() -> None:
    fading = [("00000", "10000")] * 9 + [("11111", "10111")] * 5 + [SOLID] * 4  # no longer ahead by enough at the second look
    slow = [("00000", "01111")] * 9 + [TIED] * 9
    decision = decide(table(fading, [WON] * 18, slow), RULES)
    assert (decision.kind, decision.look) == (DecisionKind.PROMOTE, 2)
    assert tuple(gate.beaten_at for gate in decision.gates) == (1, 1, 2)


def test_later_sweeps_than_the_deciding_look_are_not_read() -> None:
    rows = table([WON] * 9, [WON] * 9, [WON] * 9)
    spoiled = [replace(row, tests=False) if row.repeat > 1 and row.arm is Arm.VARIANT else row for row in rows]
    assert decide(rows, RULES) == decide(spoiled, RULES)


def test_while_looks_are_left_the_decision_is_open() -> None:
    rows = table([WON] * 4 + [SOLID] * 5, [WON] * 9, [WON] * 9)
    decision = decide(rows, RULES, look=2)
    assert (decision.kind, decision.closed, decision.look) == (DecisionKind.OPEN, False, 2)


def test_four_tasks_with_room_are_blocked_as_saturated_at_the_last_look() -> None:
    decision = decide(table([WON] * 4 + [SOLID] * 16, [WON] * 20, [WON] * 20), RULES)
    assert (decision.kind, decision.look) == (DecisionKind.BLOCKED_SATURATED, 5)
    assert (decision.gates[0].status, decision.gates[0].room, decision.gates[0].best_p) == (Status.SATURATED, 4, Fraction(1, 16))


def test_five_tasks_with_room_are_enough() -> None:
    decision = decide(table([WON] * 5 + [SOLID] * 15, [WON] * 20, [WON] * 20), RULES)
    assert (decision.kind, decision.look) == (DecisionKind.PROMOTE, 5)


def test_a_futile_stop_before_the_last_look_is_a_reject_that_mentions_the_lack_of_room() -> None:
    decision = decide(table([SOLID] * 20, [WON] * 20, [WON] * 20), RULES)
    assert DecisionKind.REJECT is decision.kind
    assert "the baseline failed tests on none of 20 holdout tasks" in decision.reason


def test_ahead_on_every_gate_but_not_beyond_luck_is_inconclusive() -> None:
    ahead = [WON] * 10 + [LOST] * 5 + [SOLID] * 5
    decision = decide(table(ahead, [WON] * 20, [WON] * 20), RULES)
    assert (decision.kind, decision.look) == (DecisionKind.INCONCLUSIVE, 5)


def test_no_gain_on_an_unbeaten_gate_at_the_last_look_is_a_reject() -> None:
    decision = decide(table([("0", "1"), ("1", "0")] * 10, [("0", "1")] * 20, [("0", "1")] * 20), Rules(looks=1))
    assert DecisionKind.REJECT is decision.kind
    assert statuses(decision) == [Status.BEHIND, Status.BEATS, Status.BEATS]


def test_more_than_a_tenth_of_the_pairs_missing_is_invalid_even_when_all_gates_beat() -> None:
    missing = [("-0000", "-1111")] * 3
    decision = decide(table([WON] * 22 + missing, [WON] * 25, [WON] * 25), RULES)
    assert (decision.kind, decision.look) == (DecisionKind.INVALID, 1)


def test_arms_that_miss_unequally_are_invalid_at_any_share() -> None:
    missing = [("0", "-")] * 6
    decision = decide(table([("0", "1")] * 94 + missing, [("0", "1")] * 100, [("0", "1")] * 100), Rules(looks=1))
    assert (decision.kind, decision.worst_case) == (DecisionKind.INVALID, WorstCase.NOT_NEEDED)


def test_a_promotion_that_falls_with_the_missing_against_the_variant_is_invalid() -> None:
    barely = [("0", "1")] * 5 + [("1", "1")] * 44 + [("1", "-")]
    clear = [("0", "1")] * 50
    decision = decide(table(barely, clear, clear), Rules(looks=1))
    assert (decision.kind, decision.worst_case) == (DecisionKind.INVALID, WorstCase.FALLS_ON_MISSING)


def test_a_promotion_that_rests_on_flagged_trials_is_invalid() -> None:
    rows = table([("0", "1")] * 6, [("0", "1")] * 6, [("0", "1")] * 6)
    flagged = [replace(row, flagged=row.task == "task-00") for row in rows]
    assert DecisionKind.PROMOTE is decide(rows, Rules(alpha=0.02, looks=1)).kind
    decision = decide(flagged, Rules(alpha=0.02, looks=1))
    assert (decision.kind, decision.worst_case) == (DecisionKind.INVALID, WorstCase.FALLS_ON_FLAGGED)


@given(COMPLETE, st.data())
def test_a_fail_of_the_variant_turned_into_missing_never_makes_a_promotion(rows: list[Outcome], data: st.DataObject) -> None:
    fails = [at for at, row in enumerate(rows) if row.arm is Arm.VARIANT and row.tests is False]
    hidden = data.draw(st.sets(st.sampled_from(fails), max_size=4)) if fails else set()
    shown = [replace(row, tests=None, cause="api") if at in hidden else row for at, row in enumerate(rows)]
    if not decide(rows, THREE).promoted:
        assert not decide(shown, THREE).promoted


@given(COMPLETE)
def test_the_cause_of_a_fail_changes_nothing(rows: list[Outcome]) -> None:
    assert decide(rows, THREE) == decide([replace(row, cause="agent timeout") for row in rows], THREE)


@given(WITH_MISSING, SEEDS)
def test_the_order_of_rows_does_not_matter(rows: list[Outcome], seed: int) -> None:
    order = np.random.default_rng(seed).permutation(len(rows))
    assert decide(rows, THREE) == decide([rows[at] for at in order], THREE)


@given(WITH_MISSING)
def test_deciding_after_every_sweep_ends_where_deciding_once_does(rows: list[Outcome]) -> None:
    whole = decide(rows, THREE)
    for sweep in (1, 2, 3):
        step = decide([row for row in rows if row.repeat <= sweep], THREE)
        if step.closed:
            break
    assert whole == step


@given(WITH_MISSING)
def test_swapping_the_arms_never_promotes_both(rows: list[Outcome]) -> None:
    other = {Arm.BASELINE: Arm.VARIANT, Arm.VARIANT: Arm.BASELINE}
    swapped = [replace(row, arm=other[row.arm]) for row in rows]
    assert not (decide(rows, THREE).promoted and decide(swapped, THREE).promoted)


def test_a_relaxed_rule_lets_a_saturated_gate_pass_that_is_not_worse() -> None:
    rules = Rules(looks=5, saturated=Saturated.NON_INFERIOR, margin=0.05)
    decision = decide(table([SOLID] * 20, [WON] * 20, [WON] * 20), rules)
    assert (decision.kind, decision.look, decision.relaxed) == (DecisionKind.PROMOTE, 5, (Gate.TESTS,))
    assert Status.SATURATED is decision.gates[0].status


def test_a_relaxed_rule_stops_a_saturated_gate_that_loses_more_than_the_margin() -> None:
    rules = Rules(looks=5, saturated=Saturated.NON_INFERIOR, margin=0.05)
    decision = decide(table([SOLID] * 18 + [LOST] * 2, [WON] * 20, [WON] * 20), rules)
    assert (decision.kind, decision.look) == (DecisionKind.REJECT, 1)


def test_a_relaxed_rule_without_enough_pairs_stays_blocked() -> None:
    rules = Rules(looks=1, saturated=Saturated.NON_INFERIOR, margin=0.05)
    decision = decide(table([("1", "1")] * 20, [("0", "1")] * 20, [("0", "1")] * 20), rules)
    assert DecisionKind.BLOCKED_SATURATED is decision.kind


def test_an_alpha_of_a_tenth_can_use_four_tasks() -> None:
    assert [Rules(alpha=0.05, looks=looks).room_needed for looks in (1, 5, 8)] + [Rules(alpha=0.10, looks=8).room_needed] == [
        5,
        5,
        5,
        4,
    ]


@pytest.mark.parametrize("look", [0, 2])
def test_a_look_that_was_not_run_is_refused(look: int) -> None:
    with pytest.raises(InputError, match=f"look {look} of 5"):
        decide(table([("0", "1")], [("0", "1")], [("0", "1")]), RULES, look=look)


def test_a_margin_and_the_relaxed_rule_need_each_other() -> None:
    with pytest.raises(ConfigError, match="margin"):
        Rules(saturated=Saturated.NON_INFERIOR)
    with pytest.raises(ConfigError, match="margin"):
        Rules(margin=0.05)
