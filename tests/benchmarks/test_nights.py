"""The simulator against the loop that it stands for, and the promises of the rule at small sizes."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np
import pytest
from simulation import error_rates, ours, peers
from simulation.sweeps import Sweeps, outcome, outcomes
from simulation.tally import Summary
from simulation.worlds import MISSING, START, WORLDS, Mix, Night, Proposed, Purpose, System, Truth, World

from harness.campaign import Campaign
from harness.decision.arms import BaselineArm
from harness.decision.multiplicity import Multiplicity
from harness.decision.options import Options
from harness.decision.rules import Rules
from harness.decision.scorecard import Outcome, Reading, Table
from harness.ledger.schema import ConfirmationRow, DecisionRow, Ledger, TrialRow, UsageModel, VariantRow
from harness.ledger.store import Store
from harness.loop import evolve
from harness.ports import Proposal, ProposalRequest
from harness.preflight import DEV_SWEEPS
from harness.skill import Variant
from harness.skill_io import make_skill, with_text
from harness.task import Split, Suite, Task
from harness.testing import Notes
from harness.tree import Tree
from harness.trial import Arm, Stage, TrialKey

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

HEAD = "---\nname: coding\ndescription: How to code.\n---\n"
SKILL = make_skill(Tree.of({"SKILL.md": HEAD + "Begin.\n"}), "coding", "test")
STRONG = World(
    name="strong",
    title="large effects and faults of ours",
    mixes=(Mix(share=0.4, low=0.15, high=0.3), Mix(share=0.2, low=-0.2, high=-0.1)),
    faults=0.15,
)
NIGHT = Night(world=STRONG, seed=5, number=0, variants=24, dev=8, holdout=24)
LOOKS = 4


class Drawn:
    """Proposer and evaluator of one simulated night for the real loop: every trial is the one that the simulator draws."""

    def __init__(self, night: Night, ledger: Ledger) -> None:
        self.night, self.ledger = night, ledger
        self.systems: dict[str, System] = {SKILL.id: night.baseline()}
        self.numbers: dict[str, int] = {SKILL.id: 0}
        self.drawn: dict[tuple[str, Purpose, int, bool], NDArray[np.int8]] = {}

    def propose(self, request: ProposalRequest) -> Proposal:
        """Variant n is one more line."""
        skill = with_text(request.baseline.skill, f"{request.baseline.skill.text}Habit {request.generation}.\n", "proposal")
        self.numbers[skill.id] = request.generation
        self.systems[skill.id] = self.night.propose(self.systems[request.baseline.id], request.generation).system
        variant = Variant(skill=skill, parent=request.baseline.id, operator="drawn", generation=request.generation)
        return Proposal(variant=variant, find="", replace=f"{request.generation}", problem="", calls=())

    def run(self, title: str, plans: Iterable[tuple[TrialKey, Variant]]) -> Mapping[TrialKey, TrialRow]:  # noqa: ARG002
        """The rows by key."""
        rows = {key: self.ledger.find(TrialRow, str(key)) or self._row(key) for key, _ in plans}
        self.ledger.add(*rows.values())
        return rows

    def _row(self, key: TrialKey) -> TrialRow:
        place = int(key.task.partition("-")[2])
        found = outcome(key.arm, key.task, key.repeat, self._verdicts(key)[key.repeat - 1][place].tolist())
        verdicts = dict(zip(("tests", "style", "review"), (found.tests, found.style, found.review), strict=True))
        return TrialRow(
            key=str(key),
            **{name: getattr(key, name) for name in ("stage", "confirmation", "arm", "variant", "task", "repeat")},
            ending="finished",
            cause="",
            verdicts={gate: {True: "pass", False: "fail", None: "missing"}[passed] for gate, passed in verdicts.items()},
            reasons=dict.fromkeys(verdicts, "drawn"),
            loaded=True,
            load={},
            usage=UsageModel(),
            cost_usd=0.0,
            seconds={},
            flags=(),
            dropped=(),
            change_blob="",
            transcript_blob="",
            evidence_blob="",
        )

    def _verdicts(self, key: TrialKey) -> NDArray[np.int8]:
        night, number = self.night, self.numbers[key.variant]
        dev, purpose, repeats = key.task.startswith("dev"), Purpose.PREFLIGHT_HOLDOUT, LOOKS
        if key.stage is Stage.CONFIRM:
            registered = self.ledger.find(ConfirmationRow, key.confirmation)
            assert registered is not None
            number = registered.generation
            purpose = Purpose.CONFIRM_BASELINE if key.arm is Arm.BASELINE else Purpose.CONFIRM_VARIANT
        elif key.stage is Stage.SCREEN:
            purpose, repeats = Purpose.SCREEN, -(-50 // night.dev)
        elif dev:
            purpose, repeats = Purpose.PREFLIGHT_DEV, DEV_SWEEPS
        tasks = night.dev_tasks if dev else night.holdout_tasks
        place = (key.variant, purpose, number, dev)
        if place not in self.drawn:
            self.drawn[place] = night.trials(self.systems[key.variant], tasks, repeats, night.draws(purpose, number))
        return self.drawn[place]


def task(name: str, split: Split) -> Task:
    tree = Tree.of({"a.py": "x = 1\n"})
    empty = {"fail_to_pass": ("t",), "pass_to_pass": (), "interface": (), "pack": ""}
    texts = {"project": "p", "instruction": "do", "difficulty": "medium", "kind": "behaviour"}
    return Task(id=name, split=split, base=tree, reference=tree, hidden=tree, **texts, **empty)  # type: ignore[arg-type]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "ledger.db", lambda: datetime(2026, 11, 30, tzinfo=UTC)) as opened:
        yield opened


def campaign_of(night: Night, store: Store, settings: ours.Settings) -> Campaign:
    ledger = store.campaign("c")
    drawn = Drawn(night, ledger)
    tasks = [task(f"dev-{n:03d}", Split.DEV) for n in range(night.dev)]
    tasks += [task(f"hold-{n:03d}", Split.HOLDOUT) for n in range(night.holdout)]
    campaign = Campaign(
        ledger=ledger,
        suite=Suite(id="s", version="1", tasks=tuple(tasks), packs=(), tools=()),
        rules=Rules(alpha=settings.alpha, looks=settings.looks),
        evaluator=drawn,
        proposer=drawn,
        progress=Notes(),
        shuffle=ours.seeded,
        leaks=lambda _: "",
        truth=lambda _: None,
        publish=lambda _: None,
        batch=settings.batch,
        memory=False,
        options=Options(multiplicity=settings.multiplicity, baseline_arm=settings.baseline_arm, shadow_every=0),
    )
    campaign.start(SKILL)
    return campaign


@pytest.mark.parametrize(
    "settings",
    [
        ours.Settings(looks=LOOKS),
        ours.Settings(looks=LOOKS, baseline_arm=BaselineArm.SHARED),
        ours.Settings(looks=LOOKS, alpha=0.2, multiplicity=Multiplicity.LORD),
    ],
)
def test_a_simulated_night_is_decided_as_the_loop_decides_it_at_the_same_cost(store: Store, settings: ours.Settings) -> None:
    campaign = campaign_of(NIGHT, store, settings)
    evolve(campaign, NIGHT.variants)
    tally = ours.play(NIGHT, settings)
    decided = {row.generation: row.decision for row in campaign.ledger.rows(DecisionRow)}
    assert decided == {number: str(kind) for number, kind in tally.kinds.items()}
    assert len(campaign.ledger.rows(TrialRow)) == tally.rollouts
    assert len(campaign.ledger.rows(ConfirmationRow)) == tally.confirmations
    assert list(decided.values()).count("promote") == tally.promoted >= 1
    assert len(campaign.ledger.rows(VariantRow)) == NIGHT.variants + 1


def test_shared_arms_are_paired_with_stored_trials_and_their_decisions_compute_again(store: Store) -> None:
    campaign = campaign_of(NIGHT, store, ours.Settings(looks=LOOKS, baseline_arm=BaselineArm.SHARED))
    evolve(campaign, NIGHT.variants)
    rows = campaign.ledger.rows(ConfirmationRow)
    assert [row.number for row in rows if row.arm]
    records = {row.confirmation: json.loads(row.record) for row in campaign.ledger.rows(DecisionRow) if row.confirmation}
    for row in rows:
        arms = [outcome[0] for outcome in records[row.key]["outcomes"]]
        assert arms.count("baseline") == arms.count("variant")


@pytest.mark.parametrize("reading", list(Reading))
def test_counting_arrays_gives_the_scorecards_of_the_table(reading: Reading) -> None:
    draws = np.random.default_rng(3)
    tasks = [f"t{n}" for n in range(7)]
    before, after = (draws.integers(-1, 2, (3, 7, 3)).astype(np.int8) for _ in range(2))
    rows: list[Outcome] = [*outcomes(Arm.BASELINE, tasks, before), *outcomes(Arm.VARIANT, tasks, after)]
    counted = list(Sweeps(tasks=tasks, baseline=before, variant=after).scorecards(3, reading))
    table = list(Table.of(rows).scorecards(3, reading))
    assert [[_sorted(card) for card in cards] for cards in counted] == [[_sorted(card) for card in cards] for cards in table]


def _sorted(card: object) -> object:
    tasks = sorted(card.tasks, key=lambda score: score.task)  # type: ignore[attr-defined]
    return replace(card, tasks=tuple(tasks))  # type: ignore[type-var]


def test_a_world_starts_at_its_stated_rates_and_a_null_variant_changes_nothing() -> None:
    night = Night(world=WORLDS["null"], seed=1, number=0, dev=1000, holdout=3000)
    baseline = night.baseline()
    assert [round(float(rate), 6) for rate in baseline.quality] == list(START)
    assert night.propose(baseline, 1).effect.tolist() == [0.0, 0.0, 0.0]
    seen = night.trials(baseline, night.holdout_tasks, 4, night.draws(Purpose.SCREEN)).mean(axis=(0, 1))
    assert np.abs(seen - START).max() < 0.03


def test_faults_are_missing_on_all_gates_alike_and_a_hanging_trial_fails_them_all() -> None:
    night = Night(world=WORLDS["faults"], seed=1, number=0)
    seen = night.trials(night.baseline(), night.holdout_tasks, 40, night.draws(Purpose.SCREEN))
    assert ((seen == MISSING).any(axis=2) == (seen == MISSING).all(axis=2)).all()
    assert abs((seen == MISSING).mean() - 0.027) < 0.01
    hung = replace(night.baseline(), hangs=1.0)
    assert not night.trials(hung, night.holdout_tasks, 1, night.draws(Purpose.SCREEN)).clip(min=0).any()


@pytest.mark.parametrize("world", ["base", "trade-off", "dev-overfit", "null", "hanging"])
def test_few_nights_promote_falsely_no_more_often_than_alpha_allows(world: str) -> None:
    nights = [Night(world=WORLDS[world], seed=2, number=number, variants=40) for number in range(2)]
    found = Summary.of(world, "ours", [ours.play(night, ours.Settings()) for night in nights])
    assert found.confirmations >= 2
    assert found.false <= 1  # at alpha = .05, two or more in so few confirmations (at most 20) have a chance under 1 %


def test_single_confirmations_cross_no_more_often_than_alpha_where_being_wrong_is_easiest() -> None:
    for rate in error_rates.rates(error_rates.measure(3, range(120), Rules())):
        assert rate.wrong <= 12, rate.name  # binomial(120, .05) is above 12 once in 250 tries


def test_the_rule_of_the_higher_mean_promotes_noise_in_a_world_where_nothing_is_better() -> None:
    tally = peers.play(Night(world=WORLDS["null"], seed=1, number=0, variants=60), peers.PEERS["mean, fresh, 30x3"])
    assert (tally.promoted >= 3, tally.false == tally.promoted, tally.rollouts) == (True, True, 60 * 180)


def test_confirmations_and_promotions_are_told_by_what_is_true_of_the_variant() -> None:
    nights = [ours.play(replace(NIGHT, number=number), ours.Settings(looks=LOOKS)) for number in range(3)]
    found = Summary.of("strong", "ours", nights)
    assert sum(found.confirmed.values()) == found.confirmations > 0
    assert sum(found.won.values()) == found.promoted > 0
    assert found.promoted - found.won[Truth.BETTER] == found.false
    assert found.won[Truth.WORSE] == found.harmful
    effects = {
        Truth.BETTER: (0.1, 0.1, 0.2),
        Truth.PARTLY: (0.1, 0.0, 0.1),
        Truth.NOTHING: (0, 0, 0),
        Truth.WORSE: (0.1, 0.1, -0.1),
    }
    system = NIGHT.baseline()
    assert all(Proposed(system=system, effect=np.array(effect)).truth is truth for truth, effect in effects.items())


def test_a_night_is_the_same_night_each_time_it_is_played() -> None:
    night = Night(world=WORLDS["trade-off"], seed=9, number=4, variants=16)
    assert ours.play(night, ours.Settings()) == ours.play(night, ours.Settings())
    for rule in peers.PEERS.values():
        assert peers.play(night, rule) == peers.play(night, rule)


def test_a_night_needs_no_more_than_two_confirmations_a_batch() -> None:
    tally = ours.play(Night(world=STRONG, seed=3, number=1, variants=32), ours.Settings())
    assert tally.confirmations <= 8
