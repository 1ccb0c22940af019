"""A/A shadows: the baseline against itself under another name, by the very rule, so that a night shows its own error rate.

Nothing can be promoted by one and no alpha is spent; each gate's crossings stand in the ledger. A gate that crosses more often
than alpha over many shadows shows that trials of the two arms are not alike.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from harness.campaign import short_id
from harness.comparing import Comparison, places, run_looks
from harness.counted import counted
from harness.task import Split
from harness.trial import Arm, Stage

if TYPE_CHECKING:
    from harness.campaign import Campaign
    from harness.decision.result import Decision
    from harness.skill import Variant

SHADOW = "A/A shadow"


def run_shadows(campaign: Campaign) -> None:
    """The shadows that are due: one for every `shadow_every` variants of the batches that are decided.

    Raises:
        BudgetSpentError: a limit of the run is reached; the shadow is gone on with by the same command.
    """
    every = campaign.options.shadow_every
    variants = len(campaign.variants()) - 1 - len(campaign.open_batch())  # between batches only: a cut must not move one
    due = variants // every if every else 0
    done = sum(row.name == SHADOW for row in campaign.events())
    for number in range(done + 1, due + 1):
        _run(campaign, campaign.baseline(), number)


def _run(campaign: Campaign, baseline: Variant, number: int) -> None:
    key = short_id(campaign.ledger.campaign, "shadow", number)
    trials = places([task.id for task in campaign.suite.split(Split.HOLDOUT)])
    comparison = Comparison(
        key=key,
        stage=Stage.SHADOW,
        title=f"A/A shadow {number}",
        baseline=baseline,
        variant=baseline,
        rules=campaign.rules,
        orders=[campaign.shuffle(f"shadow {key} {look}", trials) for look in range(1, campaign.rules.looks + 1)],
        source=(key, Arm.BASELINE),
    )
    decision = run_looks(campaign, comparison, {}).decision
    shown = shadow_shows(decision)
    campaign.event(f"shadow/{number}", SHADOW, json.dumps({"key": key, "baseline": baseline.id} | shown))
    names = [str(gate.gate) for gate in decision.gates if gate.beaten_at]
    campaign.progress.note(f"A/A shadow {number}: {', '.join(names) or 'no gate'} crossed in {counted(decision.look, 'look')}")


def shadow_shows(decision: Decision) -> dict[str, object]:
    """What is kept of a shadow: looks run, what the rule would have decided, and the look at which each gate crossed, or None."""
    crossed = {str(gate.gate): gate.beaten_at for gate in decision.gates}
    return {"looks": decision.look, "decision": str(decision.kind), "crossed": crossed}
