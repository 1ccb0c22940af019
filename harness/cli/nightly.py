"""`harness nightly`: the loop as a scheduler runs it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from harness.cli import options
from harness.cli.options import LOOP, Given, takes

NAME = "nightly"


@takes(*(name for name in LOOP if name not in {"agent", "command", "delivery"}))
def run(
    given: Given,
    summary: Annotated[Path | None, typer.Option("--summary", help="Markdown file for a pull request or a job's page.")] = None,
    quiet: options.Quiet = False,
    as_json: options.AsJson = False,
) -> None:
    """Evolve within money and hours and ask nothing: shadows, vault test, page, results.tsv, and a branch if configured.

    Exit codes for a scheduler: 0 done, whatever was decided; 2 configuration; 3 engine, service or key missing, or another run
    still writes; 4 nothing decided; 5 decided, but page or branch failed.
    """
    settings = given.settings()

    from harness.cli.running import run_loop
    from harness.errors import ConfigError

    limits = settings.budget
    if limits.max_usd is None and limits.max_hours is None and limits.max_generations is None:
        raise ConfigError("a night needs an end: set [budget] max_usd or max_hours, or give --max-usd or --max-hours")
    run_loop(settings, yes=True, quiet=quiet, as_json=as_json, summary=summary)
