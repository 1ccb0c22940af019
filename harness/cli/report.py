"""`harness report`: the page of a campaign, from the ledger alone."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from harness.cli import options
from harness.cli.options import Given

NAME = "report"


def run(
    campaign: Annotated[str, typer.Argument(help="Campaign, or the start of its id; the latest unless given.")] = "",
    output: Annotated[Path | None, typer.Option("-o", "--output", help="File (.html, .md) or folder to write.")] = None,
    follow: Annotated[
        bool, typer.Option("--follow", help="Serve it on this machine, renewed during a run, until Ctrl-C.")
    ] = False,
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Port of --follow; 0 takes a free one.")] = 0,
    config: options.ConfigFile = None,
    state: options.State = None,
) -> None:
    """One self-contained HTML page of a campaign, or with -o FILE.md its first screen as Markdown."""
    settings = Given(config=config, state=state).settings()

    from harness.cli.page import write_page, write_summary
    from harness.cli.show import say
    from harness.ledger.store import Store

    path = settings.output.state / "ledger.db"
    if follow:
        _follow(path, campaign, port)
        return
    with Store.read(path) as store:
        chosen = choose(store.campaigns(), campaign)
        if output and output.suffix == ".md":
            write_summary(store, chosen, output)
            say(str(output))
            return
        say(str(write_page(store, chosen, settings.output.state, output)))


def _follow(path: Path, campaign: str, port: int) -> None:
    """Serve the page of a campaign, the latest at each look unless one is named, until Ctrl-C."""
    import time

    from harness.cli.page import page_text
    from harness.cli.show import say
    from harness.ledger.store import Store
    from harness.report.follow import Live, served

    def head() -> str:
        with Store.read(path) as store:
            return str(store.head())

    def render() -> str:
        with Store.read(path) as store:
            return page_text(store, choose(store.campaigns(), campaign))

    with Store.read(path) as store:
        choose(store.campaigns(), campaign)
    with served(Live(head, render), port) as address:
        say(f"{address}  (Ctrl-C ends it)")
        try:
            while True:
                time.sleep(3600)
        except KeyboardInterrupt:
            say("Ended.")


def choose(campaigns: tuple[str, ...], start: str) -> str:
    """The campaign whose id begins so; the latest for an empty start.

    Raises:
        InputError: none or several fit.
    """
    from harness.errors import InputError

    found = [name for name in campaigns if name.startswith(start)]
    if not found:
        raise InputError(f"no campaign {start!r} in this ledger; known: {', '.join(name[:12] for name in campaigns) or 'none'}")
    if start and len(found) > 1:
        raise InputError(f"{start!r} fits {len(found)} campaigns: {', '.join(name[:12] for name in found)}")
    return found[-1]
