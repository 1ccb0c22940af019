"""`harness power`: what a suite can see, how many tasks a wanted effect needs, and what that costs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from harness.cli import options
from harness.cli.options import Given
from harness.counted import counted

NAME = "power"
MOST_LOOKS = 8


def run(
    suite: Annotated[
        Path | None, typer.Option("--suite", help="Folder with suite.toml, whose holdout is counted; the configured one.")
    ] = None,
    tasks: Annotated[int | None, typer.Option("--tasks", min=1, help="Holdout tasks, without a suite.")] = None,
    repeats: Annotated[
        int, typer.Option("--repeats", min=1, max=MOST_LOOKS, help="Repeats of each, one look a repeat.")
    ] = MOST_LOOKS,
    effect: Annotated[
        list[float] | None, typer.Option("--effect", help="Wanted gain as a share (0.1 is 10 points); repeatable.")
    ] = None,
    rates: Annotated[str, typer.Option("--rates", help="The baseline's pass rates on tests, style and review.")] = "0.5,0.6,0.45",
    alpha: Annotated[float, typer.Option("--alpha", help="Chance of a false promotion.")] = 0.05,
    config: options.ConfigFile = None,
    as_json: options.AsJson = False,
) -> None:
    """What a suite can see, in a table and in words; tasks and repeats that a wanted effect needs; expected cost."""
    from dataclasses import asdict

    from harness.cli.money import live_cost
    from harness.cli.show import print_json, print_table, say
    from harness.decision.planner import REPEATS, WANTED, plan, words
    from harness.decision.power import Design, uniforms

    design = Design(tasks=_counted(Given(config=config, suite=suite), tasks), repeats=repeats, alpha=alpha)
    found = plan(design, _read(rates), uniforms(1), wanted=effect or WANTED)
    if as_json:
        print_json(asdict(found) | {"trials_at_most": 2 * design.tasks * design.repeats, "repeats": REPEATS})
        return
    gates = zip(("tests", "style", "review"), found.rates, found.one_gate, strict=True)
    rows = [(gate, f"{100 * rate:.0f} %", _points(seen)) for gate, rate, seen in gates]
    print_table(
        "smallest gain seen, by gate",
        ("gate", "baseline", "points"),
        [*rows, ("all three", "", _points(found.on_all))],
    )
    needed = [(_points(need.effect), *("-" if count is None else f"{count:,}" for count in need.tasks)) for need in found.needs]
    head = ("points on all three gates", *(counted(count, "repeat") for count in REPEATS))
    print_table("holdout tasks needed", head, needed)
    say(words(found))
    say(f"In full that is {live_cost(2 * design.tasks * design.repeats)}, by planning figures.")


def _counted(given: Given, tasks: int | None) -> int:
    from harness.errors import InputError
    from harness.suites.catalog import load_suite
    from harness.task import Split

    if tasks and given.suite:
        raise InputError("say which design: --suite FOLDER, or --tasks N (with --repeats K)")
    if tasks:
        return tasks
    folder = given.settings().suite.path
    count = len(load_suite(folder).split(Split.HOLDOUT))
    if not count:
        raise InputError(
            f"{folder}: no holdout tasks, so nothing could be decided; mark some split = 'holdout' in their task.toml"
        )
    return count


def _read(rates: str) -> tuple[float, ...]:
    from harness.errors import InputError

    try:
        found = tuple(float(rate) for rate in rates.split(","))
    except ValueError:
        found = ()
    if len(found) != 3 or not all(0 < rate < 1 for rate in found):  # noqa: PLR2004  (one for each gate)
        raise InputError(f"--rates {rates!r}: three shares between 0 and 1, such as 0.5,0.6,0.45 for tests, style and review")
    return found


def _points(effect: float | None) -> str:
    return "none" if effect is None else f"{100 * effect:.0f}"
