from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from harness.audit.listing import Filter, listed, listed_text, shown
from harness.audit.why import tried_again, why, why_text
from harness.errors import InputError
from harness.ledger.history import Placed, find_decision
from harness.ledger.schema import TrialRow
from harness.ledger.store import Store

Ledgers = Callable[[str], Path]


def test_every_decision_is_listed_in_order_with_its_id(ledger: Ledgers) -> None:
    with Store.read(ledger("promoted")) as store:
        decisions = listed(store)
    assert [(it.generation, it.decision) for it in decisions] == [(1, "reject"), (2, "reject"), (3, "promote"), (4, "reject")]
    assert len(listed_text(decisions).splitlines()) == 4


def test_a_filter_keeps_what_was_asked_for(ledger: Ledgers) -> None:
    with Store.read(ledger("promoted")) as store:
        decisions = listed(store)

    def kept(decision: str = "", campaign: str = "", since: str = "") -> list[int]:
        wanted = Filter.of(decision=decision, campaign=campaign, since=since)
        return [it.generation for it in decisions if wanted.keeps(it)]

    day = decisions[0].time[:10]
    assert (kept(), kept("promote"), kept("reject")) == ([1, 2, 3, 4], [3], [1, 2, 4])
    assert (kept(campaign=decisions[0].campaign[:6]), kept(campaign="zz")) == ([1, 2, 3, 4], [])
    assert (kept(since=day), kept(since="2999-01-01")) == ([1, 2, 3, 4], [])


def test_no_decision_is_said() -> None:
    assert listed_text(()) == "No decision is in this ledger yet."


def test_one_decision_is_shown_as_the_object_that_decide_prints(ledger: Ledgers) -> None:
    with Store.read(ledger("promoted")) as store:
        found = shown(store, "3")
    assert set(found) == {"decision", "reason", "gates", "missing"}
    assert found["decision"] == "promote"


def test_a_decision_without_holdout_trials_is_shown_in_the_same_shape(ledger: Ledgers) -> None:
    with Store.read(ledger("promoted")) as store:
        reason = "Not tried: after normalising white space its text is that of the baseline."
        assert shown(store, "2") == {"decision": "reject", "reason": reason, "gates": {}, "missing": {}}


def test_why_answers_in_one_screen_with_rule_gates_change_tasks_quotes_cost_and_bias(ledger: Ledgers) -> None:
    with Store.read(ledger("promoted")) as store:
        answer = why(store, "3")
    titles = [section.title for section in answer.sections]
    assert titles == ["Rule", "Gates", "Changed in the skill", "Tasks", "Findings quoted", "Cost", "What could bias it"]
    lines = why_text(answer).splitlines()
    assert len(lines) <= 50
    assert max(map(len, lines)) <= 110


def test_why_tells_the_comparisons_with_their_numbers(ledger: Ledgers) -> None:
    with Store.read(ledger("promoted")) as store:
        gates = next(section for section in why(store, "3").sections if section.title == "Gates")
    assert gates.lines[0] == (
        "tests  beats     47 % to 80 %, +33 points; 15 tasks better, 1 worse, 8 same; luck 15 in 100,000, 258 allowed at look 2"
    )


def test_why_says_that_a_rehearsal_proves_nothing_about_the_skill(ledger: Ledgers) -> None:
    with Store.read(ledger("rehearsal")) as store:
        assert "REHEARSAL: no model was called" in why_text(why(store, "3"))


def test_reviewers_on_the_agents_own_model_are_told_where_models_were_called(ledger: Ledgers) -> None:
    with Store.read(ledger("promoted")) as live, Store.read(ledger("rehearsal")) as rehearsal:
        told = [why_text(why(store, "3")) for store in (live, rehearsal)]
    assert ["run on the agent's own model" in text for text in told] == [True, False]


def test_second_tries_are_told_by_the_arm_that_a_trial_is_of_here(ledger: Ledgers) -> None:
    def again(trials: Iterable[Placed[TrialRow]]) -> tuple[Placed[TrialRow], ...]:
        return tuple(replace(placed, row=placed.row.model_copy(update={"attempts": 2})) for placed in trials)

    with Store.read(ledger("promoted")) as store:
        _, generation = find_decision(store, "3")
    assert tried_again(generation) == ""
    confirmed = [placed for placed in generation.trials if placed.row.confirmation]
    own, stored = ([placed for placed in confirmed if placed.row.arm == arm] for arm in ("variant", "baseline"))
    borrowing = replace(generation, trials=tuple(own), borrowed=again(stored))
    count = len(own)
    assert tried_again(borrowing).startswith(
        f"tried again after faults of ours: {count} of the baseline's and 0 of the variant's {count} trials, too unequal"
    )


def test_hidden_characters_of_a_skill_are_shown(ledger: Ledgers) -> None:
    with Store.read(ledger("promoted")) as store:
        text = why_text(why(store, "4"))
    assert "as a pattern ⟨U+202E⟩<b>." in text
    assert "\u202e" not in text


def test_a_generation_without_trials_has_its_reason_and_its_change(ledger: Ledgers) -> None:
    with Store.read(ledger("promoted")) as store:
        answer = why(store, "2")
    assert answer.reason == "Not tried: after normalising white space its text is that of the baseline."
    assert answer.sections[0].lines == ("decided before any holdout trial; no error was spent",)


def test_an_unknown_decision_is_an_input_error(ledger: Ledgers) -> None:
    with Store.read(ledger("screened")) as store, pytest.raises(InputError, match="no decision"):
        why(store, "77")
