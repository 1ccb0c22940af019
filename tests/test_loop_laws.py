"""Laws of a whole night: what may not matter does not, and a cut at any moment costs nothing but time."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from harness.decision.arms import BaselineArm
from harness.decision.multiplicity import Multiplicity
from harness.decision.options import Control, Options
from harness.ledger.schema import ConfirmationRow, DecisionRow, EventRow, TrialRow
from harness.ledger.store import Store
from harness.loop import evolve
from harness.skill import Variant
from harness.testing import DrawnTrials
from harness.trial import Stage, TrialKey
from tests.test_loop import BAD, GOOD, IDLE, SIDE, Night, rows_of, true_rates

SENTENCES = [BAD, GOOD, IDLE, SIDE, f"{IDLE} More.", f"{GOOD} Again."]
EVERYTHING = Options(multiplicity=Multiplicity.LORD, baseline_arm=BaselineArm.SHARED, shadow_every=3, controls=(Control.PLACEBO,))


class Generous(DrawnTrials):
    """Every screened variant passes everything, so that all of them survive."""

    def run(self, title: str, plans: Iterable[tuple[TrialKey, Variant]]) -> Mapping[TrialKey, TrialRow]:
        """As drawn, but for the screen."""
        rows = super().run(title, plans)
        passed = {"verdicts": dict.fromkeys(("tests", "style", "review"), "pass")}
        return {key: row.model_copy(update=passed) if key.stage is Stage.SCREEN else row for key, row in rows.items()}


class Backwards(DrawnTrials):
    """Trials end, and are written, in the reverse of the plan's order, as unequal workers might end them."""

    def run(self, title: str, plans: Iterable[tuple[TrialKey, Variant]]) -> Mapping[TrialKey, TrialRow]:
        """The same rows, in the plan's order as promised."""
        planned = list(plans)
        rows = super().run(title, planned[::-1])
        return {key: rows[key] for key, _ in planned}


def test_screen_data_cannot_change_a_confirmation(tmp_path: Path) -> None:
    found: list[dict[str, object]] = []
    for name in ("drawn", "generous"):
        with Store.open(tmp_path / f"{name}.db", lambda: datetime(2026, 11, 30, tzinfo=UTC)) as store:
            night = Night(store, [GOOD, BAD])
            if name == "generous":
                trials = Generous(night.ledger, lambda variant: true_rates(variant.skill), seed=3)
                night.campaign = replace(night.campaign, evaluator=trials)
            evolve(night.campaign, 2)
            rows = [row for row in night.ledger.rows(DecisionRow) if row.confirmation]
            records = {row.generation: json.loads(row.record) for row in rows}
            found.append({str(number): (it["outcomes"], it["result"]) for number, it in records.items()})
    drawn, generous = found
    assert drawn.keys() & generous.keys() == {"1"}
    assert drawn["1"] == generous["1"]


def test_neither_the_order_in_which_trials_end_nor_the_number_of_workers_matters(tmp_path: Path) -> None:
    ends = []
    for name, kind in (("forwards", DrawnTrials), ("backwards", Backwards)):
        with Store.open(tmp_path / f"{name}.db", lambda: datetime(2026, 11, 30, tzinfo=UTC)) as store:
            night = Night(store, SENTENCES)
            trials = kind(night.ledger, lambda variant: true_rates(variant.skill), seed=3)
            night.campaign = replace(night.campaign, evaluator=trials, options=EVERYTHING)
            evolve(night.campaign, 6)
            ends.append(rows_of(night))
    assert ends[0] == ends[1]


@pytest.mark.parametrize("after", [3, 100, 180, 240, 330, 420, 520])
def test_a_night_with_every_option_cut_anywhere_ends_as_the_whole_one_and_spends_alpha_once(tmp_path: Path, after: int) -> None:
    ends = []
    for name, cut in (("whole", -1), ("cut", after)):
        with Store.open(tmp_path / f"{name}.db", lambda: datetime(2026, 11, 30, tzinfo=UTC)) as store:
            night = Night(store, SENTENCES, interrupt_after=cut)
            night.campaign = replace(night.campaign, options=EVERYTHING)
            drawn = 0
            if cut >= 0:
                with pytest.raises(KeyboardInterrupt):
                    evolve(night.campaign, 6)
                drawn = night.trials.drawn
                night = Night(store, SENTENCES)
                night.campaign = replace(night.campaign, options=EVERYTHING)
            evolve(night.campaign, 6)
            spent = [(row.number, row.alpha, row.alpha_sum, row.arm) for row in night.ledger.rows(ConfirmationRow)]
            events = sorted(row.model_dump_json() for row in night.ledger.rows(EventRow))
            ends.append((drawn + night.trials.drawn, spent, events, rows_of(night)))
    assert ends[0] == ends[1]
    assert [number for number, *_ in ends[0][1]] == list(range(1, len(ends[0][1]) + 1))
