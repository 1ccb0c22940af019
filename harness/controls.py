"""Control arms: neutral text of the same length, and no instructions, beside the decisions. Does any skill help at all?

Run once a campaign on holdout, beside the skill that it started from; nothing is decided by them and no baseline is moved.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from harness.campaign import outcome_of
from harness.decision.options import Control
from harness.gates import Gate
from harness.skill import Variant
from harness.skill_io import with_text
from harness.task import Split
from harness.trial import Arm, Stage, TrialKey

if TYPE_CHECKING:
    from harness.campaign import Campaign
    from harness.decision.scorecard import Outcome
    from harness.skill import Skill

SWEEPS = 2
CONTROL = "control arm"
NEUTRAL = "This section is left without content on purpose. It says nothing about the work and asks for nothing. "
NO_SKILL = "No instructions."


def control_variant(control: Control, skill: Skill) -> Variant:
    """The skill with its body replaced by neutral text of the same length, or by the shortest one (a skill must have a body)."""
    length = len(skill.body) - 1
    body = (NEUTRAL * (length // len(NEUTRAL) + 1))[:length] if control is Control.PLACEBO else NO_SKILL
    text = f"{skill.text.removesuffix(skill.body)}{body}\n"
    return Variant(skill=with_text(skill, text, str(control)), parent=skill.id, operator=str(control))


def run_controls(campaign: Campaign, start: Variant) -> None:
    """The campaign's control arms and, beside them, the skill that it started from: the same sweeps for all.

    Raises:
        BudgetSpentError: a limit of the run is reached; the same command goes on from there.
    """
    chosen = campaign.options.controls
    if not chosen:
        return
    arms = {"skill": start} | {str(control): control_variant(control, start.skill) for control in chosen}
    for name, variant in arms.items():
        rows = _trials(campaign, name, variant)
        rates = {str(gate): _rate([row.passed(gate) for row in rows]) for gate in Gate}
        campaign.event(f"control/{name}", CONTROL, json.dumps({"variant": variant.id, "trials": len(rows), "rates": rates}))
        shown = ", ".join(f"{gate} {100 * rate:.0f} %" for gate, rate in rates.items() if rate is not None)
        campaign.progress.note(f"control arm {name}: {shown or 'nothing measured'}")


def _trials(campaign: Campaign, name: str, variant: Variant) -> list[Outcome]:
    tasks = [task.id for task in campaign.suite.split(Split.HOLDOUT)]
    keys = [
        TrialKey(stage=Stage.ADHOC, confirmation=f"control-{name}", arm=Arm.VARIANT, variant=variant.id, task=task, repeat=sweep)
        for sweep in range(1, SWEEPS + 1)
        for task in campaign.shuffle(f"control {name} {sweep}", tasks)
    ]
    found = campaign.evaluator.run(f"control arm: {name}", [(key, variant) for key in keys])
    return [outcome_of(row) for row in found.values()]


def _rate(verdicts: list[bool | None]) -> float | None:
    judged = [passed for passed in verdicts if passed is not None]
    return sum(judged) / len(judged) if judged else None
