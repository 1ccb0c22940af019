import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from harness.audit.replay import replay, replay_text
from harness.errors import InputError
from harness.ledger.chain import canonical
from harness.ledger.history import find_decision, read_history
from harness.ledger.schema import CampaignRow, DecisionRow, TrialRow
from harness.ledger.store import Store

Ledgers = Callable[[str], Path]


def test_everything_recorded_computes_again(ledger: Ledgers) -> None:
    with Store.read(ledger("promoted")) as store:
        found = replay(store)
    assert found.same
    assert (found.trials > 200, found.decisions) == (True, 2)
    assert replay_text(found) == f"The same: {found.trials} trials and 2 decisions computed again."


def test_one_decision_computes_again_by_its_id_or_its_generation(ledger: Ledgers) -> None:
    with Store.read(ledger("promoted")) as store:
        _, generation = find_decision(store, "3")
        assert replay(store, generation.decision.row.id) == replay(store, "3")
        assert replay(store, "3").trials == len(generation.trials)


def test_an_unknown_decision_is_an_input_error_that_lists_those_there_are(ledger: Ledgers) -> None:
    with (
        Store.read(ledger("screened")) as store,
        pytest.raises(InputError, match=r"no decision 'D-99' in .* known are: [0-9a-f]{16}, "),
    ):
        replay(store, "D-99")


def forged(
    ledger: Ledgers, tmp_path: Path, change: Callable[[DecisionRow, list[TrialRow]], tuple[DecisionRow, list[TrialRow]]]
) -> Store:
    """A ledger written by a dishonest program: a sound chain over rows that do not fit each other."""
    with Store.read(ledger("promoted")) as honest:
        history = read_history(honest, honest.campaigns()[0])
        generation = history.generation(3)
        assert generation is not None
        trials = [placed.row for placed in generation.trials if placed.row.confirmation]
        decision, trials = change(generation.decision.row, trials)
        assert generation.confirmation is not None
        store = Store.open(tmp_path / "ledger.db", lambda: datetime(2026, 1, 1, tzinfo=UTC))
        for row in trials:
            store.blobs.put(honest.blobs.get(row.evidence_blob))
        store.campaign("forged").add(
            *(placed.row for placed in history.placed(CampaignRow)), generation.confirmation.row, *trials, decision
        )
    return store


def test_a_decision_that_its_own_table_does_not_give_is_told(ledger: Ledgers, tmp_path: Path) -> None:
    def change(row: DecisionRow, trials: list[TrialRow]) -> tuple[DecisionRow, list[TrialRow]]:
        record = json.loads(row.record)
        record["result"]["gates"]["tests"]["delta"] = 0.99
        return row.model_copy(update={"record": canonical(record)}), trials

    with forged(ledger, tmp_path, change) as store:
        (difference,) = replay(store).differences
    assert difference.of.startswith("decision ")
    assert difference.computed.startswith("promote: With these instructions")


def test_a_row_that_says_other_than_its_record_is_told(ledger: Ledgers, tmp_path: Path) -> None:
    with forged(ledger, tmp_path, lambda row, trials: (row.model_copy(update={"decision": "reject"}), trials)) as store:
        (difference,) = replay(store).differences
    assert (difference.recorded, difference.computed) == ("reject", "promote")


def test_a_verdict_that_its_evidence_does_not_give_is_told_in_the_trial_and_in_the_table(ledger: Ledgers, tmp_path: Path) -> None:
    def change(row: DecisionRow, trials: list[TrialRow]) -> tuple[DecisionRow, list[TrialRow]]:
        place = next(number for number, trial in enumerate(trials) if trial.verdicts["tests"] == "fail")
        trials[place] = trials[place].model_copy(update={"verdicts": trials[place].verdicts | {"tests": "pass"}})
        return row, trials

    with forged(ledger, tmp_path, change) as store:
        verdict, table = replay(store).differences
    assert verdict.of.endswith(", tests")
    assert (verdict.recorded.split(":")[0], verdict.computed.split(":")[0]) == ("pass", "fail")
    assert (table.recorded.startswith("in the table"), table.computed.startswith("in the trials")) == (True, True)


def test_a_trial_left_out_of_the_ledger_is_told(ledger: Ledgers, tmp_path: Path) -> None:
    with forged(ledger, tmp_path, lambda row, trials: (row, trials[1:])) as store:
        (difference,) = replay(store).differences
    assert difference.computed == "in the trials None"


def test_a_win_that_no_trial_proves_to_be_the_variants_may_stand_as_invalid(ledger: Ledgers, tmp_path: Path) -> None:
    def change(row: DecisionRow, trials: list[TrialRow]) -> tuple[DecisionRow, list[TrialRow]]:
        record = json.loads(row.record)
        record["hashes"]["loaded"] = "0"
        return row.model_copy(update={"record": canonical(record), "decision": "invalid"}), trials

    with forged(ledger, tmp_path, change) as store:
        assert replay(store).same


def test_differences_are_told_with_both_sides(ledger: Ledgers, tmp_path: Path) -> None:
    with forged(ledger, tmp_path, lambda row, trials: (row.model_copy(update={"decision": "reject"}), trials)) as store:
        text = replay_text(replay(store))
    assert text.splitlines()[1:3] == ["  recorded: reject", "  computed: promote"]
    assert text.splitlines()[3].startswith("1 difference: ")
