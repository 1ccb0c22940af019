"""`harness evolve`: the loop."""

from __future__ import annotations

from harness.cli import options
from harness.cli.options import LOOP, Given, takes

NAME = "evolve"


@takes(*LOOP)
def run(given: Given, yes: options.Yes = False, quiet: options.Quiet = False, as_json: options.AsJson = False) -> None:
    """Propose, screen, confirm, decide, record, promote. Run it again and it goes on where it stopped."""
    from harness.cli.running import run_loop

    run_loop(given.settings(), yes=yes, quiet=quiet, as_json=as_json)
