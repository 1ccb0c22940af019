"""The end of a run in a terminal: gate rates by generation, decisions, known truth of a rehearsal, cost, best skill."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.cli.show import endings, print_table, rates, say
from harness.counted import counted
from harness.decision.arms import arm_name, arm_source
from harness.edits import simplicity, tokens
from harness.ledger.schema import CampaignRow, ConfirmationRow, TrialRow
from harness.task import Split
from harness.trial import Arm

if TYPE_CHECKING:
    from harness.campaign import Campaign
    from harness.ledger.schema import DecisionRow, VariantRow
    from harness.tree import Tree

GATES = ("tests", "style", "review")


def print_campaign(campaign: Campaign, *, as_json: bool) -> None:
    """Tables of what is known so far; nothing with --json, whose document comes at the end."""
    if as_json:
        return
    head = campaign.ledger.rows(CampaignRow)[0]
    mark = "REHEARSAL: " if head.rehearsal else ""
    rows = [_rates_row(campaign, row) for row in campaign.variants()]
    print_table(
        f"{mark}pass rates on tests, style and review", ("generation", "dev t/s/r", "holdout t/s/r", "baseline beside it"), rows
    )
    decided = [_decision_row(campaign, row, head) for row in sorted(campaign.decided().values(), key=lambda row: row.generation)]
    if decided:
        print_table(f"{mark}decisions", ("generation", "decision", "stage", "id", "the skill", "by the known truth"), decided)
    for row in sorted(campaign.decided().values(), key=lambda row: row.generation):
        say(f"generation {row.generation}: {row.reason}")
    best = campaign.baseline()
    trials = campaign.ledger.rows(TrialRow)
    classes = ", ".join(f"{count} {ending}" for ending, count in endings(trials).items())
    say(f"Trials: {len(trials)} ({classes}).")
    say(f"Cost:   {cost_of(trials, rehearsal=head.rehearsal)}.")
    say(f"Best:   generation {best.generation}, {best.skill.name} {best.id[:12]}")


def campaign_document(campaign: Campaign) -> dict[str, object]:
    """The same for scripts."""
    trials = campaign.ledger.rows(TrialRow)
    return {
        "campaign": campaign.ledger.campaign,
        "generations": [
            {"generation": row.generation, "variant": row.variant, "parent": row.parent, "rationale": row.rationale}
            for row in campaign.variants()
        ],
        "decisions": [
            {"id": row.id, "generation": row.generation, "decision": row.decision, "stage": row.stage, "reason": row.reason}
            | {"right": row.right, "tokens": [tokens(tree) for tree in _trees(campaign, row)]}
            for row in campaign.decided().values()
        ],
        "best": campaign.baseline().id,
        "trials": len(trials),
        "endings": endings(trials),
    }


def cost_of(trials: tuple[TrialRow, ...], *, rehearsal: bool) -> str:
    """Money in words; an unknown price is unknown, never 0."""
    if rehearsal:
        return "$0 (rehearsal)"
    unknown = sum(row.cost_usd is None for row in trials)
    known = sum(row.cost_usd or 0.0 for row in trials)
    return f"${known:.2f}" + (f" and {counted(unknown, 'trial')} of unknown cost" if unknown else "")


def _rates_row(campaign: Campaign, row: VariantRow) -> tuple[str, ...]:
    trials = campaign.ledger.rows(TrialRow)
    own = [trial for trial in trials if trial.variant == row.variant]
    dev, holdout = ({task.id for task in campaign.suite.split(split)} for split in (Split.DEV, Split.HOLDOUT))
    tried, beside = _confirmed(campaign, row, trials)
    return (
        f"{row.generation} {row.operator}",
        _shares([trial for trial in own if trial.task in dev]),
        _shares(tried if row.generation else [trial for trial in own if trial.task in holdout]),
        _shares(beside),
    )


def _confirmed(campaign: Campaign, row: VariantRow, trials: tuple[TrialRow, ...]) -> tuple[list[TrialRow], list[TrialRow]]:
    """A generation's trials in its confirmation, and those of the baseline that they are paired with, in a stored arm or not."""
    found = next((it for it in campaign.ledger.rows(ConfirmationRow) if it.generation == row.generation), None)
    if found is None:
        return [], []
    tried = [trial for trial in trials if trial.confirmation == found.key and trial.arm == Arm.VARIANT]
    sweeps = max((trial.repeat for trial in tried), default=0)  # a stored arm may have been run further for another
    key, side = arm_source(found.arm or arm_name(found.key, Arm.BASELINE))
    beside = [trial for trial in trials if trial.confirmation == key and trial.arm == side and trial.repeat <= sweeps]
    return tried, beside


def _shares(trials: list[TrialRow]) -> str:
    if not trials:
        return "-"
    found = rates(trials)
    shares = "/".join(f"{100 * found[gate][0] / found[gate][1]:.0f}" if found[gate][1] else "?" for gate in GATES)
    return f"{shares} % of {len(trials)}"


def _decision_row(campaign: Campaign, row: DecisionRow, head: CampaignRow) -> tuple[str, ...]:
    truth = {True: "right", False: "wrong", None: "no claim"}[row.right] if head.rehearsal else "unknown"
    size = simplicity(*_trees(campaign, row))
    return str(row.generation), row.decision, row.stage, row.id, size, truth


def _trees(campaign: Campaign, row: DecisionRow) -> tuple[Tree, Tree]:
    return campaign.by_id(row.baseline).skill.tree, campaign.by_id(row.variant).skill.tree
