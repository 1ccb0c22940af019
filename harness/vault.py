"""The vault test at a night's end: the final baseline against the one that the night started from, on tasks seen once a night.

Three sweeps of both arms, reported only: nothing is decided by it. What was promoted on holdout should hold here as well.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from harness.campaign import outcome_of, short_id
from harness.comparing import places
from harness.counted import counted
from harness.decision import effect
from harness.decision.scorecard import Outcome, Scorecard, Table
from harness.decision.wording import listed, points
from harness.gates import Gate
from harness.task import Split
from harness.trial import Arm, Stage, TrialKey

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.campaign import Campaign
    from harness.skill import Variant

SWEEPS = 3
VAULT = "vault test"


def vault_trials(campaign: Campaign, start: Variant) -> int:
    """How many trials the test of a night that began with `start` has to run as things stand."""
    moved = campaign.baseline().id != start.id
    return len(Arm) * SWEEPS * len(campaign.suite.split(Split.VAULT)) * moved


def run_vault(campaign: Campaign, night: int, start: Variant) -> None:
    """Run and write the test of one night; without vault tasks, or where nothing was promoted, the event says so.

    Raises:
        BudgetSpentError: a limit of the run is reached; the same command goes on from there.
    """
    tasks = campaign.suite.split(Split.VAULT)
    final = campaign.baseline()
    if final.id == start.id or not tasks:
        why = "the suite has no vault tasks" if not tasks else "the baseline is the one that the night started from"
        campaign.event(f"vault/{night}", VAULT, json.dumps({"skipped": why}))
        campaign.progress.note(f"vault: skipped, {why}")
        return
    key = short_id(campaign.ledger.campaign, "vault", night)
    outcomes = [outcome for sweep in range(1, SWEEPS + 1) for outcome in _sweep(campaign, (key, sweep), start, final)]
    told = {"key": key, "from": start.id, "to": final.id, "tasks": len(tasks), "sweeps": SWEEPS}
    campaign.event(f"vault/{night}", VAULT, json.dumps(told | {"gates": vault_shows(outcomes)}))
    moves = listed(f"{card.gate} {points(effect.measure(card.differences).delta or 0, signed=True)}" for card in _cards(outcomes))
    campaign.progress.note(f"vault, {counted(len(tasks), 'task')}, against the night's start: {moves}")


def _sweep(campaign: Campaign, place: tuple[str, int], start: Variant, final: Variant) -> list[Outcome]:
    key, sweep = place
    arms = {Arm.BASELINE: start, Arm.VARIANT: final}
    plans = []
    for trial in campaign.shuffle(f"vault {key} {sweep}", places([task.id for task in campaign.suite.split(Split.VAULT)])):
        side, _, task = trial.partition(":")
        variant = arms[Arm(side)]
        wanted = TrialKey(stage=Stage.VAULT, confirmation=key, arm=Arm(side), variant=variant.id, task=task, repeat=sweep)
        plans.append((wanted, variant))
    return [outcome_of(row) for row in campaign.evaluator.run(f"vault, sweep {sweep} of {SWEEPS}", plans).values()]


def vault_shows(outcomes: Sequence[Outcome]) -> dict[str, object]:
    """What is kept of a vault test, by gate: both rates, the difference with its interval, and pairs that are missing."""
    return {str(card.gate): _told(card) for card in _cards(outcomes)}


def _cards(outcomes: Sequence[Outcome]) -> list[Scorecard]:
    table = Table.of(outcomes)
    return [table.scorecard(gate, SWEEPS) for gate in Gate]


def _told(card: Scorecard) -> dict[str, object]:
    """One gate's rates and effect with its 95 % task-level interval, as numbers for a page."""
    found = effect.measure(card.differences)
    rates = {"baseline": card.baseline_rate, "variant": card.variant_rate, "delta": found.delta}
    shown = {name: None if rate is None else float(rate) for name, rate in rates.items()}
    return {**shown, "interval": found.interval, "missing_pairs": card.missing_pairs}
