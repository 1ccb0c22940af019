"""Screening: a batch's variants side by side on dev, in blocks, against the cached baseline. Futility only, no claim."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from harness.campaign import outcome_of
from harness.counted import counted
from harness.decision.screen import MOST_BLOCKS, ScreenResult, after_block, block_tasks, count_baseline
from harness.task import Split
from harness.trial import Arm, Stage, TrialKey

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.campaign import Campaign
    from harness.decision.scorecard import Outcome
    from harness.skill import Variant


def run_screen(campaign: Campaign, batch: int, variants: Sequence[Variant], dev: Sequence[Outcome]) -> dict[int, ScreenResult]:
    """Each variant's standing by generation, after its last block.

    Raises:
        BudgetSpentError: a limit of the run is reached; the blocks done are in the ledger.
    """
    counts = count_baseline(dev)
    order = _recorded_order(campaign, batch)
    seen: dict[int, list[Outcome]] = {variant.generation: [] for variant in variants}
    standing: dict[int, ScreenResult] = {}
    running = list(variants)
    for block in range(1, MOST_BLOCKS + 1):
        if not running:
            break
        plans = [(_key(variant, *place), variant) for variant in running for place in block_tasks(order, block)]
        rows = campaign.evaluator.run(
            f"screen, block {block} of at most {MOST_BLOCKS}, {counted(len(running), 'variant')}", plans
        )
        for (key, variant), row in zip(plans, rows.values(), strict=True):
            seen[variant.generation].append(outcome_of(rows.get(key, row)))
        for variant in running:
            standing[variant.generation] = after_block(counts, seen[variant.generation], block)
        running = [variant for variant in running if not standing[variant.generation].dropped]
    for generation, result in standing.items():
        campaign.event(f"screen/{generation}", "screened", _told(result))
    return standing


def _key(variant: Variant, task: str, repeat: int) -> TrialKey:
    return TrialKey(stage=Stage.SCREEN, confirmation="", arm=Arm.VARIANT, variant=variant.id, task=task, repeat=repeat)


def _recorded_order(campaign: Campaign, batch: int) -> tuple[str, ...]:
    tasks = [task.id for task in campaign.suite.split(Split.DEV)]
    fresh = json.dumps(campaign.shuffle(f"screen {batch}", tasks))
    return tuple(json.loads(campaign.event(f"screen-order/{batch}", "order of dev tasks", fresh).data))


def _told(result: ScreenResult) -> str:
    return json.dumps(
        {
            "block": result.block,
            "dropped": result.dropped,
            "z_mean": round(result.z_mean, 4),
            "z_min": round(result.z_min, 4),
            "gates": {str(gate.gate): {"trials": gate.trials, "excess": round(gate.excess, 4)} for gate in result.gates},
        }
    )
