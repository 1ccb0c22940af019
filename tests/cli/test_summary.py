"""The tables at the end of a run."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from harness.cli.summary import print_campaign
from harness.decision.arms import BaselineArm
from harness.decision.options import Options
from harness.ledger.schema import CampaignRow, ConfirmationRow
from harness.ledger.store import Store
from harness.loop import evolve
from tests.test_loop import IDLE, Night, true_rates
from tests.test_loop_laws import Generous


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "ledger.db", lambda: datetime(2026, 11, 30, tzinfo=UTC)) as opened:
        yield opened


def test_a_confirmation_with_a_stored_arm_shows_the_baseline_that_it_was_paired_with(
    store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    night = Night(store, [f"{IDLE} {n}." for n in range(4)])
    trials = Generous(night.ledger, lambda variant: true_rates(variant.skill), seed=3)
    options = Options(baseline_arm=BaselineArm.SHARED, shadow_every=0)
    night.campaign = replace(night.campaign, evaluator=trials, options=options)
    plain = {"skill": "s", "suite": "s", "suite_hash": "", "holdout_hash": "", "rehearsal": False, "versions": {}}
    night.ledger.add(CampaignRow.model_validate({"key": "c", "settings": "{}", **plain}))
    evolve(night.campaign, 4)
    shared = [row for row in night.ledger.rows(ConfirmationRow) if row.arm]
    assert shared
    print_campaign(night.campaign, as_json=False)
    lines = [line.split("│") for line in capsys.readouterr().out.splitlines()]
    for row in shared:
        cells = next(line for line in lines if len(line) > 4 and line[1].split()[:1] == [str(row.generation)])
        assert cells[3].split()[-1] == cells[4].split()[-1]  # as many trials of the baseline as of the variant
