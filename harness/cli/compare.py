"""`harness compare`: one decision between two skills, straight on holdout."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from harness.cli import options
from harness.cli.options import RUN, Given, takes

NAME = "compare"


@takes(*RUN)
def run(
    baseline: Annotated[Path, typer.Argument(help="Skill to beat.")],
    variant: Annotated[Path, typer.Argument(help="Skill that challenges it; a copy of the first is an A/A test.")],
    given: Given,
    exit_code: Annotated[bool, typer.Option("--exit-code", help="Exit 1 when the variant is not better.")] = False,
    yes: options.Yes = False,
    quiet: options.Quiet = False,
    as_json: options.AsJson = False,
) -> None:
    """One decision: would the second skill replace the first? Nothing is promoted."""
    settings = replace(given, skill=baseline).settings()

    from harness.cli.money import agreed, comparison_of
    from harness.cli.progress import progress_for
    from harness.cli.show import print_decision, print_json, say
    from harness.decision.record import decision_json, from_json
    from harness.loop import compare
    from harness.skill import Variant
    from harness.skill_io import read_skill
    from harness.wiring.inputs import read_inputs
    from harness.wiring.session import opened

    challenger = read_skill(variant)
    inputs = read_inputs(settings, holdout=True)
    agreed(inputs, comparison_of(inputs), yes=yes)
    with progress_for(quiet=quiet) as progress, opened(inputs, progress, "compare", challenger.id) as session:
        campaign = session.campaign(inputs.skill)
        try:
            decided = compare(campaign, Variant(skill=challenger, parent=inputs.skill.id, operator="given", generation=1))
        finally:
            progress.close()
    decision = from_json(decided.record).decision
    if as_json:
        print_json(decision_json(decision))
    else:
        print_decision(decision)
        say(f"Recorded as {decided.id}; harness audit show {decided.id} prints it again.")
    if exit_code and decided.decision != "promote":
        raise typer.Exit(1)
