from __future__ import annotations

import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.decision.record import decision_json, decision_record, from_json, recompute, to_json
from harness.decision.result import DecisionKind, untested
from harness.decision.rules import Rules
from harness.decision.scorecard import Outcome
from harness.errors import InputError
from harness.trial import Arm

RULES = Rules(looks=2)


def outcomes(seed: int) -> list[Outcome]:
    rng = np.random.default_rng(seed)
    verdicts = {0: False, 1: True, 2: None}
    return [
        Outcome(
            arm=arm,
            task=f"tâche {task}",
            repeat=repeat,
            **{gate: verdicts[int(rng.choice(3, p=(0.5, 0.48, 0.02)))] for gate in ("tests", "style", "review")},
            cause="“quoted”",
            flagged=bool(rng.random() < 0.1),
        )
        for arm, task, repeat in itertools.product(Arm, range(10), (1, 2))
    ]


def all_won(tasks: int = 10) -> list[Outcome]:
    return [
        Outcome(arm=arm, task=str(task), repeat=1, tests=arm is Arm.VARIANT, style=arm is Arm.VARIANT, review=arm is Arm.VARIANT)
        for arm, task in itertools.product(Arm, range(tasks))
    ]


@given(st.integers(0, 1000))
def test_a_record_read_back_gives_the_same_decision(seed: int) -> None:
    record = decision_record(outcomes(seed), RULES, {"suite": "ab12", "order seed": "7"})
    assert record == from_json(to_json(record))
    assert record.decision == recompute(record)


def test_the_same_outcomes_in_another_order_give_the_same_bytes() -> None:
    rows = outcomes(1)
    assert to_json(decision_record(rows, RULES)) == to_json(decision_record(rows[::-1], RULES))


def test_the_printed_object_has_exactly_the_promised_keys() -> None:
    printed = json.loads(json.dumps(decision_json(decision_record(outcomes(2), RULES).decision), allow_nan=False))
    assert sorted(printed) == ["decision", "gates", "missing", "reason"]
    assert sorted(printed["gates"]) == ["review", "style", "tests"]
    assert sorted(printed["gates"]["tests"]) == ["best_p", "delta", "interval", "looks", "status"]
    assert sorted(printed["gates"]["tests"]["looks"][0]) == ["informative", "level", "look", "n_tasks", "p", "t"]
    assert sorted(printed["missing"]["tests"]) == ["baseline", "fisher_p", "missing", "pairs", "share", "variant"]


def test_an_infinite_t_is_printed_as_null() -> None:
    decision = decision_record(all_won(), RULES).decision
    assert math.inf == decision.gates[0].last.t
    assert '"t": null' in json.dumps(decision_json(decision))


def test_numbers_of_a_clear_win_are_printed_as_they_are() -> None:
    printed = decision_json(decision_record(all_won(), Rules(looks=1)).decision)
    assert printed["gates"] == {
        gate: {
            "status": "beats",
            "delta": 1.0,
            "interval": [1.0, 1.0],
            "looks": [{"look": 1, "n_tasks": 10, "informative": 10, "p": 2**-10, "level": 0.05, "t": None}],
            "best_p": 2**-10,
        }
        for gate in ("tests", "style", "review")
    }


def test_a_generation_without_a_holdout_trial_prints_no_gates() -> None:
    decision = untested(DecisionKind.NOT_CONFIRMED, "Its place was taken by generation 3.")
    assert decision_json(decision) == {
        "decision": "not_confirmed",
        "reason": "Its place was taken by generation 3.",
        "gates": {},
        "missing": {},
    }


def test_a_record_whose_statement_does_not_follow_from_its_table_is_refused() -> None:
    document = json.loads(to_json(decision_record(outcomes(3), RULES)))
    document["result"]["decision"] = "promote"
    with pytest.raises(InputError, match="its table gives"):
        from_json(json.dumps(document))


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"format":2}', '{"format":1,"rules":{}}'])
def test_anything_else_is_refused_as_no_record(text: str) -> None:
    with pytest.raises(InputError, match="record"):
        from_json(text)
