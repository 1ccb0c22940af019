"""What shows that a promoted baseline has room: the sweeps that promoted it, or fresh ones; the start always runs fresh ones."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from harness.errors import IncompleteError
from harness.ledger.schema import TrialRow
from harness.ledger.store import Store
from harness.loop import evolve
from harness.skill import Variant
from harness.testing import DrawnTrials
from harness.trial import Arm, Stage, TrialKey
from tests.test_loop import GOOD, IDLE, SKILL, Night, true_rates


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "ledger.db", lambda: datetime(2026, 11, 30, tzinfo=UTC)) as opened:
        yield opened


class Lucky(DrawnTrials):
    """Every variant passes everything in its confirmation, which its true rates do not."""

    def run(self, title: str, plans: Iterable[tuple[TrialKey, Variant]]) -> Mapping[TrialKey, TrialRow]:  # noqa: ARG002
        """As drawn, but for those."""
        passed = {"verdicts": dict.fromkeys(("tests", "style", "review"), "pass")}
        rows: dict[TrialKey, TrialRow] = {}
        for key, variant in plans:
            lucky = key.stage is Stage.CONFIRM and key.arm is Arm.VARIANT
            row = self._ledger.find(TrialRow, str(key)) or self._drawn(key, variant)
            rows[key] = row.model_copy(update=passed) if lucky else row
        self._ledger.add(*rows.values())
        return rows


def headroom_sweeps(night: Night) -> tuple[int, int]:
    """Preflight sweeps of the holdout by the start, and by the promoted baseline."""
    rows = [row for row in night.ledger.rows(TrialRow) if row.stage == Stage.PREFLIGHT and row.task.startswith("hold")]
    return tuple(  # type: ignore[return-value]  # two
        len({row.repeat for row in rows if row.variant == variant}) for variant in (SKILL.id, night.campaign.baseline().id)
    )


def test_the_sweeps_that_promoted_a_baseline_may_show_that_it_has_room(store: Store) -> None:
    night = Night(store, [GOOD, IDLE])
    evolve(night.campaign, 1)
    evolve(night.campaign, 1)
    assert headroom_sweeps(night) == (1, 0)


def test_only_fresh_sweeps_may_show_that_a_promoted_baseline_has_no_room(store: Store) -> None:
    night = Night(store, [GOOD, IDLE])
    night.campaign = replace(night.campaign, evaluator=Lucky(night.ledger, lambda variant: true_rates(variant.skill), seed=3))
    evolve(night.campaign, 1)
    evolve(night.campaign, 1)  # the winner failed nothing in its confirmation: by those sweeps no gate could ever be beaten again
    assert headroom_sweeps(night) == (1, 1)
    assert night.decisions()[2] != "blocked_saturated"


class Unread(DrawnTrials):
    """In no trial does anything show that the agent was given its skill; with the load evidence that says so."""

    def __init__(self, night: Night, **load: str) -> None:
        super().__init__(night.ledger, lambda variant: true_rates(variant.skill), seed=3)
        self._load = load

    def run(self, title: str, plans: Iterable[tuple[TrialKey, Variant]]) -> Mapping[TrialKey, TrialRow]:  # noqa: ARG002
        """As drawn, but for that."""
        unread = {"loaded": False, "load": self._load}
        rows = {key: self._drawn(key, variant).model_copy(update=unread) for key, variant in plans}
        self._ledger.add(*rows.values())
        return rows


def test_a_baseline_that_no_agent_is_shown_ends_the_run_after_one_sweep_of_dev(store: Store) -> None:
    night = Night(store, [GOOD])
    night.campaign = replace(night.campaign, evaluator=Unread(night, how="the agent lists 'coding: Coding'"))
    with pytest.raises(IncompleteError, match=r"in none of .* given the skill \(the agent lists 'coding: Coding'\)"):
        evolve(night.campaign, 1)
    assert {row.repeat for row in night.ledger.rows(TrialRow)} == {1}


def test_a_baseline_that_no_model_opens_by_its_description_is_told_and_improved(store: Store) -> None:
    night = Night(store, [IDLE])
    night.campaign = replace(
        night.campaign, evaluator=Unread(night, delivery="skill", how="never seen in what the agent was sent")
    )
    evolve(night.campaign, 1)
    assert len(night.decisions()) == 1
    assert any("only a variant that is opened can be promoted" in note for note in night.notes.notes)
