"""Which kind of edit is tried, what a proposer is shown, and the record of both, over drawn trials and the real ledger."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from harness.audit.replay import replay
from harness.audit.why import why, why_text
from harness.budget import Amount
from harness.errors import ServiceUnavailableError
from harness.evaluate import spent_on
from harness.ledger.schema import CallRow, CampaignRow, DecisionRow, EventRow, VariantRow
from harness.ledger.store import Store
from harness.loop import evolve
from harness.ports import Proposal, ProposalRequest, TrialEndedError
from harness.rollout import Call, Ending, Usage
from tests.test_loop import BAD, GOOD, IDLE, SIDE, Night

SENTENCES = [BAD, IDLE, SIDE, "One.", "Two.", "Three.", "Four.", "Five.", "Six.", "Seven.", "Eight.", "Nine."]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "ledger.db", lambda: datetime(2026, 11, 30, tzinfo=UTC)) as opened:
        yield opened


def drawn(night: Night) -> dict[int, dict[str, object]]:
    """The recorded choices by generation."""
    events = [row for row in night.ledger.rows(EventRow) if row.key.startswith("operator/")]
    return {int(row.key.partition("/")[2]): json.loads(row.data) for row in events}


def test_every_generations_operator_is_drawn_recorded_and_the_one_asked_for(store: Store) -> None:
    night = Night(store, SENTENCES)
    evolve(night.campaign, 8)
    choices = drawn(night)
    assert sorted(choices) == list(range(1, 9))
    asked = {request.generation: request.operator for request in night.proposer.requests}
    made = {row.generation: row.operator for row in night.ledger.rows(VariantRow) if row.generation}
    assert {number: choices[number]["operator"] for number in made} == made
    assert {number: made[number] for number in asked} == asked


class Failing:
    """A proposer whose service breaks off every answer, and charges for it."""

    def propose(self, request: ProposalRequest) -> Proposal:
        """Fail."""
        one = Call(role="proposer", model="m", usage=Usage(output=5, calls=1), cost_usd=0.25)
        raise TrialEndedError(Ending.MISSING_API, f"generation {request.generation}: the stream broke", (one,))


def test_each_failed_call_of_a_proposer_is_in_the_ledger_and_its_generations(store: Store) -> None:
    night = Night(store, SENTENCES)
    for _ in range(2):
        with pytest.raises(ServiceUnavailableError, match="the stream broke"):
            evolve(replace(night.campaign, proposer=Failing()), 4)
    booked = [row.subject for row in night.ledger.rows(CallRow)]
    assert booked == ["proposal/c/1/given up 1", "proposal/c/1/given up 2"]
    assert spent_on(1, night.ledger) == Amount(usd=0.5, tokens=10, calls=2)
    evolve(night.campaign, 4)
    assert len(night.decisions()) == 4


def test_choices_do_not_know_what_their_own_batch_earns(store: Store) -> None:
    night = Night(store, SENTENCES)
    evolve(night.campaign, 4)
    assert {str(choice["states"]) for choice in drawn(night).values()} == {str(drawn(night)[1]["states"])}


def test_a_replay_draws_every_operator_again_and_tells_one_that_was_not_drawn(store: Store) -> None:
    night = Night(store, SENTENCES)
    evolve(night.campaign, 8)
    assert [found for found in replay(store).differences if "operator" in found.of] == []
    forged = Night(store, SENTENCES, name="forged")
    wanted = json.dumps({"operator": "simplify", "states": {"simplify": [9.0, 1.0]}, "draws": {"simplify": 0.99}}, sort_keys=True)
    forged.ledger.add(EventRow(key="operator/1", name="operator drawn", data=wanted))
    evolve(forged.campaign, 1)
    [found] = [found for found in replay(store).differences if "operator" in found.of]
    assert (found.of, found.recorded) == ("generation 1, its operator", wanted)


def stuck(store: Store, sentences: list[str], limit: int, name: str = "c") -> Night:
    """A night of a campaign that takes `limit` generations in vain for a plateau."""
    night = Night(store, sentences, name=name)
    settings = json.dumps({"proposer": {"plateau": limit}})
    head = CampaignRow(
        key=name, settings=settings, skill="s", suite="s", suite_hash="", holdout_hash="", rehearsal=False, versions={}
    )
    night.ledger.add(head)
    night.campaign = replace(night.campaign, plateau=limit)
    return night


def test_after_so_many_generations_in_vain_the_mix_widens_is_told_once_and_drawn_again_in_a_replay(store: Store) -> None:
    night = stuck(store, SENTENCES, 8)
    evolve(night.campaign, 12)
    assert [number for number, choice in drawn(night).items() if choice.get("wide")] == [9, 10, 11, 12]
    [told] = [note for note in night.notes.notes if note.startswith("plateau: no promotion in 8 generations. From generation 9")]
    assert told in [row.data for row in night.ledger.rows(EventRow) if row.name == "plateau"]
    assert [found for found in replay(store).differences if "operator" in found.of] == []
    assert "on a plateau" in why_text(why(store, "9"))
    assert "by what each had earned" in why_text(why(store, "8"))
    assert "plateau" not in why_text(why(store, "8"))


def test_a_promotion_ends_a_plateau_and_the_next_one_is_told_anew(store: Store) -> None:
    night = stuck(store, [*SENTENCES[3:7], GOOD, *SENTENCES[:3], *SENTENCES[7:], "Ten.", "Eleven.", "Twelve."], 4)
    evolve(night.campaign, 16)
    won = night.campaign.baseline().generation
    wide = [number for number, choice in drawn(night).items() if choice.get("wide")]
    assert 5 <= won <= 8
    assert wide == [5, 6, 7, 8, *range(13, 17)]
    assert [row.key for row in night.ledger.rows(EventRow) if row.name == "plateau"] == ["plateau/1", f"plateau/{won + 1}"]


def test_a_mix_that_was_widened_without_a_plateau_is_told_by_a_replay(store: Store) -> None:
    night = stuck(store, SENTENCES, 0)
    night.campaign = replace(night.campaign, plateau=4)
    evolve(night.campaign, 8)
    told = [found.of for found in replay(store).differences if "operator" in found.of]
    assert told == [f"generation {number}, its operator" for number in (5, 6, 7, 8)]


def test_a_merge_unites_edits_that_did_not_win_and_names_them(store: Store) -> None:
    for number in range(12):  # the operator is drawn: some campaign of a few comes to a merge
        night = Night(store, SENTENCES, name=f"campaign {number}")
        evolve(night.campaign, 12)
        rows = {row.generation: row for row in night.ledger.rows(VariantRow)}
        if merges := [row for row in rows.values() if row.operator == "merge"]:
            break
    merge = merges[0]
    assert len(merge.parts) in {2, 3}
    assert (merge.find, merge.replace) == ("", "")
    text = night.campaign.variant(merge).skill.text
    for part in merge.parts:
        assert rows[part].parent == merge.parent
        assert rows[part].rationale in text
    assert {row.generation for row in night.ledger.rows(DecisionRow)} == set(range(1, 13))
    assert merge.generation not in {request.generation for request in night.proposer.requests}


def test_without_memory_nothing_is_drawn_shown_or_united(store: Store) -> None:
    night = Night(store, SENTENCES, memory=False)
    evolve(night.campaign, 8)
    assert drawn(night) == {}
    assert {request.operator for request in night.proposer.requests} == {
        *("reflect", "examples", "checklist", "restructure", "restart")
    }
    assert {request.rejected for request in night.proposer.requests} == {()}


def test_good_solutions_are_those_of_dev_tasks_alone_and_shown_to_one_operator(store: Store) -> None:
    night = Night(store, [*SENTENCES, GOOD], memory=False)
    evolve(night.campaign, 6)
    shown = {request.operator: request.examples for request in night.proposer.requests}
    assert {work.task.partition("-")[0] for work in shown["examples"]} == {"dev"}
    assert {operator for operator, works in shown.items() if works} == {"examples"}


def test_what_a_variant_adds_is_told_beside_it(store: Store) -> None:
    night = Night(store, [IDLE])
    evolve(night.campaign, 1)
    assert any("generation 1: " in note and " tokens, " in note for note in night.notes.notes)


def test_a_short_skill_is_simplified_only_once_it_has_grown(store: Store) -> None:
    night = Night(store, [GOOD, *SENTENCES[3:]])
    evolve(night.campaign, 8)
    assert night.campaign.baseline().generation == 1
    allowed = {number: set(choice["draws"]) for number, choice in drawn(night).items() if isinstance(choice["draws"], dict)}
    assert "simplify" not in allowed[1] | allowed[4]
    assert "simplify" in allowed[5] & allowed[8]
