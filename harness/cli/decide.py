"""`harness decide`: our decision from outcomes made elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from harness.cli.options import AsJson

NAME = "decide"
MOST_LOOKS = 8


def run(
    table: Annotated[Path, typer.Argument(help="JSON or CSV rows {arm, task, repeat, tests, style, review[, cause]}.")],
    alpha: Annotated[float, typer.Option(help="Chance of a false promotion.")] = 0.05,
    looks: Annotated[int | None, typer.Option(help="Looks; the largest repeat count of the table unless given.")] = None,
    exit_code: Annotated[bool, typer.Option("--exit-code", help="Exit 1 when not promoted.")] = False,
    as_json: AsJson = False,
) -> None:
    """One decision from outcomes made elsewhere."""
    from harness.cli.show import print_decision, print_json
    from harness.decision.policy import decide
    from harness.decision.record import decision_json
    from harness.decision.rules import Rules
    from harness.outcomes_io import read_table

    outcomes = read_table(table)
    counted = looks or min(len({row.repeat for row in outcomes}), MOST_LOOKS)
    decision = decide(outcomes, Rules(alpha=alpha, looks=counted, split=""))
    if as_json:
        print_json(decision_json(decision))
    else:
        print_decision(decision)
    if exit_code and not decision.promoted:
        raise typer.Exit(1)
