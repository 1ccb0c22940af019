"""`harness rollback`: the baseline back to its parent, as a ledger entry."""

from __future__ import annotations

from typing import Annotated

import typer

from harness.cli import options
from harness.cli.options import Given

NAME = "rollback"


def run(
    reason: Annotated[str, typer.Option("--reason", help="Why, for the record.")],
    campaign: Annotated[str, typer.Option("--campaign", help="Campaign, by its first digits; the newest with a promotion.")] = "",
    config: options.ConfigFile = None,
    state: options.State = None,
    as_json: options.AsJson = False,
) -> None:
    """Move the baseline back to the one before it. The next `harness evolve` of that campaign goes on from there."""
    from datetime import UTC, datetime

    from harness.cli.show import print_json, say
    from harness.ledger.history import read_history
    from harness.ledger.store import Store
    from harness.rollback import find_campaign, restored, roll_back
    from harness.wiring.publishing import publish_variant

    settings = Given(config=config, state=state).settings()
    folder = settings.output.state
    Store.read(folder / "ledger.db").close()  # says so where there is none, instead of making one
    with Store.open(folder / "ledger.db", lambda: datetime.now(UTC)) as store:
        histories = [read_history(store, name) for name in store.campaigns()]
        ledger = store.campaign(find_campaign(histories, campaign))
        row = roll_back(ledger, reason)
        publish_variant(settings, store, ledger.campaign, restored(ledger, row))
    if as_json:
        print_json(
            {"campaign": ledger.campaign, "generation": row.generation, "old": row.old, "new": row.new, "reason": row.reason}
        )
    else:
        say(f"The baseline is generation {row.generation} again ({row.new[:12]}); {row.old[:12]} stays in the ledger.")
        say(f"Files: {folder / 'best'}. The next harness evolve of campaign {ledger.campaign[:16]} goes on from there.")
