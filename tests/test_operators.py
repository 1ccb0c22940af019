import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.operators import NOTHING, PRIOR, PROMOTED, SURVIVED_BLOCK, SURVIVED_SCREEN, Operator, choose, states

POINTS = (NOTHING, SURVIVED_BLOCK, SURVIVED_SCREEN, PROMOTED)
WRITTEN = tuple(name for name in Operator if name is not Operator.MERGE)
HISTORIES = st.lists(st.tuples(st.sampled_from([*Operator, "placebo", "none"]), st.sampled_from(POINTS)), max_size=40)


def test_a_promotion_moves_a_state_by_the_measured_rule() -> None:
    assert states([("reflect", 1.0)])[Operator.REFLECT] == pytest.approx((1.97, 5.82))
    assert states([("reflect", 0.0)])[Operator.REFLECT] == pytest.approx((0.97, 6.82))
    assert states([("reflect", 0.15)])[Operator.REFLECT] == pytest.approx((0.97 + 0.15**0.5, 6.82 - 0.15**0.5))


@given(HISTORIES)
def test_states_stay_positive_and_only_the_operators_own_generations_move_one(found: list[tuple[str, float]]) -> None:
    for name, state in states(found).items():
        assert min(state) > 0
        if name not in {operator for operator, _ in found}:
            assert state == PRIOR


@given(HISTORIES, st.sets(st.sampled_from(list(Operator)), min_size=1), st.text(max_size=5))
def test_a_choice_is_one_of_those_allowed_and_the_same_whenever_it_is_made(
    found: list[tuple[str, float]], allowed: set[Operator], label: str
) -> None:
    first = choose(states(found), allowed, label)
    assert first.operator in allowed
    assert choose(states(json.loads(json.dumps(found))), sorted(allowed), label) == first
    assert set(first.draws) == set(map(str, allowed))


def test_one_in_ten_is_a_restart_whatever_was_earned_and_what_won_is_chosen_most() -> None:
    known = states([("checklist", PROMOTED)] * 3 + [("restart", PROMOTED)] * 9)
    counts = Counter(choose(known, WRITTEN, str(number)).operator for number in range(1000))
    assert 70 < counts[Operator.RESTART] < 130
    assert counts.most_common(1)[0][0] is Operator.CHECKLIST
    assert set(counts) == set(WRITTEN)


@given(HISTORIES, st.text(max_size=5))
def test_a_wide_mix_holds_nothing_earned_for_or_against_any_kind(found: list[tuple[str, float]], label: str) -> None:
    wide = choose(states(found), WRITTEN, label, wide=True)
    assert wide == choose(states([]), WRITTEN, label, wide=True)
    assert set(wide.states.values()) == {PRIOR}


def test_three_in_ten_of_a_wide_mix_are_restarts_and_the_others_have_the_same_chance() -> None:
    known = states([("checklist", PROMOTED)] * 3)
    counts = Counter(choose(known, WRITTEN, str(number), wide=True).operator for number in range(2000))
    assert 520 < counts.pop(Operator.RESTART) < 680
    assert len(counts) == 5
    assert all(230 < count < 330 for count in counts.values())
