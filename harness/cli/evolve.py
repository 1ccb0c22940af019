"""`harness evolve`: the loop."""

from __future__ import annotations

from typing import Annotated

import typer

from harness.cli import options
from harness.cli.options import Given

NAME = "evolve"


def run(
    config: options.ConfigFile = None,
    skill: options.Skill = None,
    suite: options.Suite = None,
    model: options.Model = None,
    agent: options.Agent = None,
    command: options.Command = None,
    delivery: options.Delivery = None,
    jobs: options.Jobs = None,
    seed: options.Seed = None,
    max_usd: options.MaxUsd = None,
    max_hours: options.MaxHours = None,
    max_generations: Annotated[int | None, typer.Option("--max-generations", help="Generations of this run.")] = None,
    batch: Annotated[int | None, typer.Option("--batch", help="Variants proposed and screened together.")] = None,
    state: options.State = None,
    yes: options.Yes = False,
    quiet: options.Quiet = False,
    as_json: options.AsJson = False,
) -> None:
    """Propose, screen, confirm, decide, record, promote. Run it again and it goes on where it stopped."""
    given = Given(
        config=config,
        skill=skill,
        suite=suite,
        model=model,
        agent=agent,
        command=command,
        delivery=delivery,
        jobs=jobs,
        seed=seed,
        max_usd=max_usd,
        max_hours=max_hours,
        max_generations=max_generations,
        batch=batch,
        state=state,
    )
    settings = given.settings()

    from harness.cli.money import agreed
    from harness.cli.page import write_page
    from harness.cli.progress import progress_for
    from harness.cli.summary import campaign_document, print_campaign
    from harness.loop import evolve
    from harness.wiring import opened, read_inputs

    inputs = read_inputs(settings, holdout=True)
    agreed(inputs, yes=yes)
    with progress_for(quiet=quiet) as progress, opened(inputs, progress, "evolve") as session:
        campaign = session.campaign(inputs.skill)
        try:
            ended = evolve(campaign, settings.budget.max_generations)
        finally:
            progress.close()
            print_campaign(campaign, as_json=as_json)
        page = write_page(session.store, campaign.ledger.campaign, settings.output.state)
        if as_json:
            from harness.cli.show import print_json

            print_json(campaign_document(campaign) | {"ended": ended.reason, "page": str(page)})
        else:
            from harness.cli.show import say

            say(f"Ended: {ended.reason}.")
            say(f"Page:  {page}")
