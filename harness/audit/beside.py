"""A/A shadows and vault tests computed again from their trials."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from harness.campaign import outcome_of
from harness.decision.policy import decide
from harness.decision.rules import Rules, Saturated
from harness.errors import InputError
from harness.ledger.schema import TrialRow
from harness.shadowing import SHADOW, shadow_shows
from harness.vault import VAULT, vault_shows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.decision.scorecard import Outcome
    from harness.ledger.history import History


def beside_differences(history: History) -> Iterator[tuple[str, str, str]]:
    """(of what, as recorded, as computed) for every shadow and vault test that does not come out again."""
    shadows, vaults = history.events(SHADOW), [it for it in history.events(VAULT) if "skipped" not in json.loads(it.row.data)]
    rules = _rules(history) if shadows else Rules()
    for placed in (*shadows, *vaults):
        told = json.loads(placed.row.data)
        outcomes = _outcomes(history, told["key"])
        shown: dict[str, object]
        try:
            shown = shadow_shows(decide(outcomes, rules)) if placed in shadows else {"gates": vault_shows(outcomes)}
        except InputError as error:  # no such trials
            shown = {"error": str(error)}
        again = told | json.loads(json.dumps(shown))
        if again != told:
            yield placed.row.key, placed.row.data, json.dumps(again)


def _outcomes(history: History, key: str) -> list[Outcome]:
    return [outcome_of(placed.row) for placed in history.placed(TrialRow) if placed.row.confirmation == key]


def _rules(history: History) -> Rules:
    chosen = json.loads(history.settings.settings)["decision"]
    return Rules(alpha=chosen["alpha"], looks=chosen["looks"], saturated=Saturated(chosen["saturated"]), margin=chosen["margin"])
