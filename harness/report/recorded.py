"""The record: what identifies the decision and its inputs, the commands that check it, and p as the button must find it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.counted import counted
from harness.ledger.schema import CallRow, VoteRow

if TYPE_CHECKING:
    from harness.report.view import Scene


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """Commands to check the page, (name, value) pairs, and the exact p of each gate at the deciding look."""

    commands: str
    facts: tuple[tuple[str, str], ...]
    ps: tuple[tuple[str, str], ...]


def recorded(scene: Scene) -> Recorded:
    """Everything that an auditor needs to name the decision and its inputs."""
    decision = scene.decision
    return Recorded(
        commands=_commands(scene),
        facts=tuple((name, value) for name, value in _facts(scene) if value),
        ps=tuple((gate.gate, repr(float(gate.last.p))) for gate in decision.gates) if decision else (),
    )


def _commands(scene: Scene) -> str:
    lines = [("harness audit verify", "the chain, the blobs, and the heads that pages carry")]
    if scene.shown:
        name = scene.shown.decision.row.id
        lines += [
            (f"harness audit replay {name}", "verdicts from evidence, decision from verdicts"),
            (f"harness audit why {name}", "the same answer in one screen"),
        ]
    else:
        lines.append(("harness audit replay", "verdicts from evidence"))
    return "\n".join(f"{command}\n    # {what}" for command, what in lines)


def _facts(scene: Scene) -> tuple[tuple[str, str], ...]:
    history, shown = scene.history, scene.shown
    settings = history.settings
    versions = ", ".join(f"{name} {value}" for name, value in sorted(settings.versions.items()))
    return (
        *(_decision_facts(scene) if shown else ()),
        ("Head of the ledger", f"row {history.head.seq:,}, {history.head.hash}"),
        ("Campaign", history.campaign),
        ("Suite", f"{settings.suite}, {settings.suite_hash}"),
        ("Holdout", settings.holdout_hash),
        ("Reviewers", _personas(settings.settings)),
        ("Models", _models(scene)),
        ("Versions", versions),
    )


def _decision_facts(scene: Scene) -> tuple[tuple[str, str], ...]:
    shown, rules = scene.shown, scene.rules
    if shown is None:
        return ()
    row, confirmation = shown.decision.row, shown.confirmation
    trials = [placed.row for placed in scene.trials if placed.row.ending == "finished"]
    loaded = sum(trial.loaded for trial in trials)
    spent = (
        f", confirmation {confirmation.row.number} on this holdout, Σα {confirmation.row.alpha_sum:.2f}" if confirmation else ""
    )
    return (
        ("Decision", f"{row.id}, {row.decision}, ledger row {shown.decision.seq:,}"),
        ("Old baseline", row.baseline),
        ("Variant", row.variant),
        ("Confirmation", f"{row.confirmation}, registered in ledger row {confirmation.seq:,}" if confirmation else ""),
        ("\N{GREEK SMALL LETTER ALPHA}, looks", f"{rules.alpha:g} over {counted(rules.looks, 'look')}{spent}"),
        ("Skill was read", f"{loaded} of {len(trials)} finished trials show it" if trials else ""),
    )


def _personas(settings: str) -> str:
    found = json.loads(settings).get("personas", {})
    return ", ".join(f"{name} {str(value)[:10]}" for name, value in sorted(found.items())) if isinstance(found, dict) else ""


def _models(scene: Scene) -> str:
    models: dict[str, set[str]] = {}
    for call in scene.history.placed(CallRow):
        models.setdefault(call.row.model, set()).add(call.row.role.partition(":")[0])
    for vote in scene.history.placed(VoteRow):
        models.setdefault(vote.row.model, set()).add("reviewer")
    return "; ".join(f"{model}: {', '.join(sorted(roles))}" for model, roles in sorted(models.items()) if model)
