"""A/A shadows and vault tests computed again from their trials."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from harness.audit.beside import beside_differences
from harness.ledger.history import read_history
from harness.ledger.schema import CampaignRow, EventRow
from harness.ledger.store import Store
from harness.loop import evolve
from tests.test_loop import BAD, GOOD, IDLE, Night
from tests.test_night_end import event, with_options, with_vault

DECISION = {"alpha": 0.05, "looks": 8, "saturated": "block", "margin": 0.0}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "ledger.db", lambda: datetime(2026, 11, 30, tzinfo=UTC)) as opened:
        yield opened


def night_with_both(store: Store) -> Night:
    night = with_options(with_vault(Night(store, [GOOD, IDLE, BAD])), shadow_every=2)
    plain = {"skill": "s", "suite": "s", "suite_hash": "", "holdout_hash": "", "rehearsal": True, "versions": {}}
    night.ledger.add(CampaignRow.model_validate({"key": "c", "settings": json.dumps({"decision": DECISION}), **plain}))
    evolve(night.campaign, 3)
    return night


def test_every_shadow_and_vault_test_comes_out_again(store: Store) -> None:
    night = night_with_both(store)
    assert event(night, "shadow/1")
    assert event(night, "vault/1")["gates"]
    assert not list(beside_differences(read_history(store, "c")))


@pytest.mark.parametrize(
    ("kind", "key", "change"),
    [
        ("A/A shadow", "shadow/1", {"crossed": {"tests": 3, "style": None, "review": None}}),
        ("vault test", "vault/1", {"gates": {}}),
        ("vault test", "vault/1", {"key": "no such trials"}),
    ],
)
def test_one_that_its_trials_do_not_give_is_told(store: Store, kind: str, key: str, change: dict[str, object]) -> None:
    night = night_with_both(store)
    night.ledger.add(EventRow(key="forged", name=kind, data=json.dumps(event(night, key) | change)))
    [(of, recorded, computed)] = beside_differences(read_history(store, "c"))
    assert of == "forged"
    assert json.loads(recorded) != json.loads(computed)
