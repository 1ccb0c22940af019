"""`harness evolve`: the loop."""

from __future__ import annotations

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
    max_generations: options.MaxGenerations = None,
    batch: options.Batch = None,
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
    from harness.cli.running import run_loop

    run_loop(given.settings(), yes=yes, quiet=quiet, as_json=as_json)
