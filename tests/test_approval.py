import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from harness.approval import APPROVED, approve, refuse, waiting
from harness.errors import IncompleteError, InputError
from harness.ledger.schema import EventRow, PromotionRow
from harness.ledger.store import Store
from harness.loop import evolve
from harness.task import Split
from tests.test_loop import BAD, GOOD, IDLE, SIDE, SKILL, SUITE, Night, task

WHY = "It names the three checks that we forget."


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "ledger.db", lambda: datetime(2026, 11, 30, tzinfo=UTC)) as opened:
        yield opened


def asking(store: Store, sentences: list[str | None]) -> Night:
    night = Night(store, sentences)
    tasks = tuple(task(f"vault-{n}", Split.VAULT) for n in range(12))
    night.campaign = replace(night.campaign, approve=True, suite=replace(SUITE, tasks=SUITE.tasks + tasks))
    return night


def test_a_promotion_waits_and_the_baseline_stays_until_a_person_says_yes(store: Store) -> None:
    night = asking(store, [BAD, GOOD, IDLE, SIDE])
    ended = evolve(night.campaign, 8)
    [waits] = waiting(night.ledger)
    assert (waits.decision, ended.reason) == ("promote", f"generation 2 waits for a person: harness promote {waits.id}")
    assert night.campaign.baseline().generation == 0
    assert night.published == [0]
    approve(night.ledger, waits, WHY, "ada")
    assert night.campaign.baseline().generation == 2
    assert waiting(night.ledger) == ()


def test_while_one_waits_nothing_more_is_tried(store: Store) -> None:
    night = asking(store, [GOOD])
    evolve(night.campaign, 1)
    before = store.head()
    with pytest.raises(IncompleteError, match="waits for a person"):
        evolve(night.campaign, 1)
    assert store.head() == before


def test_after_a_no_the_loop_goes_on_from_the_old_baseline(store: Store) -> None:
    night = asking(store, [GOOD, BAD])
    evolve(night.campaign, 1)
    refuse(night.ledger, waiting(night.ledger)[0], "We tried this last year.", "ada")
    evolve(night.campaign, 1)
    assert night.campaign.baseline().id == SKILL.id
    assert night.ledger.rows(PromotionRow) == ()


def test_the_vault_compares_with_the_baseline_before_the_promotion_that_a_person_said_yes_to(store: Store) -> None:
    night = asking(store, [GOOD, BAD])
    evolve(night.campaign, 1)
    approve(night.ledger, waiting(night.ledger)[0], WHY, "ada")
    evolve(night.campaign, 1)
    found = night.ledger.find(EventRow, "vault/2")
    assert found is not None
    assert (json.loads(found.data)["from"], json.loads(found.data)["to"]) == (SKILL.id, night.campaign.baseline().id)


def test_the_sentence_and_the_name_enter_the_ledger(store: Store) -> None:
    night = asking(store, [GOOD])
    evolve(night.campaign, 1)
    approve(night.ledger, waiting(night.ledger)[0], f"  {WHY}\n", "ada")
    [answer] = [row for row in night.ledger.rows(EventRow) if row.name == APPROVED]
    assert json.loads(answer.data) == {"who": "ada", "why": WHY}


def test_no_sentence_and_a_second_answer_are_refused(store: Store) -> None:
    night = asking(store, [GOOD])
    evolve(night.campaign, 1)
    [waits] = waiting(night.ledger)
    with pytest.raises(InputError, match="one sentence is asked for"):
        approve(night.ledger, waits, " ", "ada")
    refuse(night.ledger, waits, WHY, "ada")
    with pytest.raises(InputError, match="waits for nobody"):
        approve(night.ledger, waits, WHY, "ada")
