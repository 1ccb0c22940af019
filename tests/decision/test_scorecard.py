from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.decision.scorecard import Outcome, Reading, Table
from harness.errors import InputError
from harness.gates import Gate
from harness.trial import Arm

VERDICT = st.sampled_from([True, False, None])
KEYS = list(itertools.product(Arm, ("a", "b", "c"), (1, 2, 3)))
TABLES = st.tuples(*(st.tuples(VERDICT, VERDICT, VERDICT) for _ in KEYS)).map(
    lambda rows: [
        Outcome(arm=arm, task=task, repeat=repeat, tests=row[0], style=row[1], review=row[2])
        for (arm, task, repeat), row in zip(KEYS, rows, strict=True)
    ]
)


def outcome(arm: Arm, task: str, repeat: int, *, passed: bool | None, flagged: bool = False) -> Outcome:
    return Outcome(arm=arm, task=task, repeat=repeat, tests=passed, style=passed, review=passed, flagged=flagged)


@given(TABLES, st.sampled_from(Gate), st.integers(1, 3))
def test_a_missing_pair_counts_as_a_pair_never_run(rows: list[Outcome], gate: Gate, look: int) -> None:
    missing = {(row.task, row.repeat) for row in rows if row.passed(gate) is None}
    sweeps = [outcome(arm, "kept", repeat, passed=True) for arm in Arm for repeat in (1, 2, 3)]
    never_run = [row for row in rows if (row.task, row.repeat) not in missing]
    expected = Table.of(never_run + sweeps).scorecard(gate, look).tasks
    assert expected == Table.of(rows + sweeps).scorecard(gate, look).tasks


@given(TABLES, st.permutations(range(len(KEYS))), st.sampled_from(Gate))
def test_the_order_in_which_trials_end_does_not_matter(rows: list[Outcome], order: list[int], gate: Gate) -> None:
    shuffled = [rows[at] for at in order]
    assert Table.of(rows).scorecard(gate, 3) == Table.of(shuffled).scorecard(gate, 3)


def test_a_look_counts_no_later_sweep() -> None:
    rows = [outcome(arm, "a", repeat, passed=arm is Arm.VARIANT) for arm in Arm for repeat in (1, 2, 3)]
    assert [Table.of(rows).scorecard(Gate.TESTS, look).pairs for look in (1, 2, 3)] == [1, 2, 3]


def test_sweeps_are_the_order_of_repeat_numbers_wherever_they_start() -> None:
    rows = [outcome(arm, "a", repeat, passed=True) for arm in Arm for repeat in (0, 4, 7)]
    assert tuple(pair.sweep for pair in Table.of(rows).pairs) == (1, 2, 3)


def test_against_the_variant_its_missing_fail_and_the_missing_of_the_baseline_pass() -> None:
    rows = [
        outcome(Arm.BASELINE, "a", 1, passed=None),
        outcome(Arm.VARIANT, "a", 1, passed=True),
        outcome(Arm.BASELINE, "b", 1, passed=False),
        outcome(Arm.VARIANT, "b", 1, passed=None),
        outcome(Arm.BASELINE, "c", 1, passed=False),
    ]
    card = Table.of(rows).scorecard(Gate.STYLE, 1, Reading.MISSING_AGAINST_VARIANT)
    assert [(task.baseline, task.variant) for task in card.tasks] == [(1, 1), (0, 0), (0, 0)]
    assert card.missing_pairs == 0


def test_a_trial_without_its_partner_is_a_missing_pair() -> None:
    rows = [outcome(Arm.BASELINE, "a", 1, passed=True)]
    card = Table.of(rows).scorecard(Gate.TESTS, 1)
    assert (card.missing_pairs, card.missing_baseline, card.missing_variant) == (1, 0, 1)


def test_flagged_trials_of_the_variant_fail_when_read_so() -> None:
    rows = [outcome(arm, "a", 1, passed=True, flagged=True) for arm in Arm]
    card = Table.of(rows).scorecard(Gate.TESTS, 1, Reading.FLAGGED_FAIL)
    assert [(task.baseline, task.variant, task.lost) for task in card.tasks] == [(1, 0, 1)]


def test_the_same_trial_twice_is_refused_with_its_name() -> None:
    rows = [outcome(Arm.VARIANT, "a", 2, passed=True)] * 2
    with pytest.raises(InputError, match="variant, task a, repeat 2"):
        Table.of(rows)


def test_an_empty_table_is_refused() -> None:
    with pytest.raises(InputError, match="no outcome"):
        Table.of([])


def test_repeats_beyond_the_looks_and_unequal_counts_are_told() -> None:
    rows = [outcome(arm, "a", repeat, passed=True) for arm in Arm for repeat in (1, 2, 3)]
    rows += [outcome(arm, "b", 1, passed=True) for arm in Arm]
    assert Table.of(rows).notes(looks=2) == (
        "Left out, as beyond look 2: 1 of 4 pairs.",
        "1 of 2 tasks have fewer than 3 repeats, first b.",
    )
