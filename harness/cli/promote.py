"""`harness promote`: a person's answer to a promotion that waits."""

from __future__ import annotations

import getpass
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from harness.cli import options
from harness.cli.options import Given

if TYPE_CHECKING:
    from pathlib import Path

NAME = "promote"


def run(
    name: Annotated[str, typer.Argument(metavar="ID", help="Decision that waits, by its id.")],
    why: Annotated[str, typer.Option("--why", help="One sentence of your own: why; asked for in a terminal.")] = "",
    refuse: Annotated[bool, typer.Option("--refuse", help="Say no: the baseline stays.")] = False,
    config: options.ConfigFile = None,
    state: options.State = None,
) -> None:
    """Show the evidence of a promotion that waits (`approve = "person"`), ask why, and move the baseline or leave it."""
    from datetime import UTC, datetime

    from harness.approval import approve
    from harness.approval import refuse as say_no
    from harness.campaign import variant_of
    from harness.cli.show import say
    from harness.ledger.history import find_decision
    from harness.ledger.store import Store
    from harness.wiring.publishing import publish_variant

    settings = Given(config=config, state=state).settings()
    path = settings.output.state / "ledger.db"
    Store.read(path).close()  # says so where there is none, instead of making one
    sentence = why or _asked(path, name, refuse=refuse)
    with Store.open(path, lambda: datetime.now(UTC)) as store:
        history, generation = find_decision(store, name)
        ledger, decision, who = store.campaign(history.campaign), generation.decision.row, getpass.getuser()
        if refuse:
            say_no(ledger, decision, sentence, who)
            say(f"Refused: the baseline stays, {decision.baseline[:12]}. The next harness evolve goes on from it.")
            return
        approve(ledger, decision, sentence, who)
        if generation.variant is None:
            raise AssertionError
        publish_variant(settings, store, history.campaign, variant_of(ledger, generation.variant.row))
    say(f"Promoted: generation {decision.generation}, {decision.variant[:12]}; files in {settings.output.state / 'best'}.")


def _asked(path: Path, name: str, *, refuse: bool) -> str:
    """The evidence on the screen, then the person's sentence; empty outside a terminal."""
    from harness.audit.why import why as answer
    from harness.audit.why import why_text
    from harness.cli.show import say
    from harness.ledger.store import Store

    with Store.read(path) as store:
        say(why_text(answer(store, name)))
    if not sys.stdin.isatty():
        return ""
    return str(typer.prompt(f"\nWhy is this change {'wrong' if refuse else 'right'} for your team? One sentence"))
