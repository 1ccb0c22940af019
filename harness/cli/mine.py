"""`harness suite mine`: a suite from a repository's own history."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from harness.cli import options
from harness.cli.options import Given, takes
from harness.counted import counted

if TYPE_CHECKING:
    from harness.config import Config
    from harness.suites.candidates import Outcome
    from harness.task import Suite
    from harness.wiring.mining import Mined

NAME = "mine"
PAGE = "mining.html"

Holdout = Annotated[float, typer.Option("--holdout", min=0, max=1, help="Share of the tasks that decide: the newest.")]
Vault = Annotated[float, typer.Option("--vault", min=0, max=1, help="Share of the tasks that are opened once a night.")]
Out = Annotated[Path | None, typer.Option("--out", help="Folder of the suite; task_suites/<project> without it.")]
Public = Annotated[bool, typer.Option("--public", help="Let pages and exports show the tasks' text and code.")]
Harmless = Annotated[
    list[str] | None, typer.Option("--harmless", metavar="GLOB", help="Paths whose secrets are none, such as tests/**.")
]
SHARED = ("model", "max_usd", "config", "jobs", "state")


@takes(*SHARED)
def run(
    repository: Annotated[str, typer.Argument(metavar="REPO", help="A checkout, a bare repository, or an address.")],
    given: Given,
    since: options.Since = "",
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, help="Candidates to try, the newest first; all without it.")
    ] = None,
    out: Out = None,
    holdout: Holdout = 0.5,
    vault: Vault = 0.0,
    public: Public = False,
    harmless: Harmless = None,
    seconds: Annotated[
        float, typer.Option("--seconds", min=1, help="The most that one run of a candidate's tests may take.")
    ] = 60.0,
    quiet: options.Quiet = False,
    as_json: options.AsJson = False,
) -> None:
    """A suite from a repository's own history. A stopped run goes on from there. Exit 1 when no task is kept."""
    settings = given.settings()

    from harness.cli.progress import progress_for
    from harness.wiring.mining import Order, mine

    order = Order(
        repository=repository,
        out=out,
        since=since,
        limit=limit,
        holdout=holdout,
        vault=vault,
        private=not public,
        harmless=tuple(harmless or ()),
        seconds=seconds,
    )
    with progress_for(quiet=quiet) as progress:
        found = mine(settings, order, progress, lambda outcome: progress.note(told(outcome)))
    finish(settings, found, private=not public, as_json=as_json)


def onward(settings: Config, suite: Suite, folder: Path) -> str:
    """What to do with a new suite: a small one can be evaluated on, but promotes nothing by itself."""
    from harness.wiring.inputs import may_evolve

    command = "evolve" if may_evolve(settings, suite) else f"evaluate {quote(str(settings.skill.path))}"
    return f"next: harness {command} --suite {quote(str(folder))}"


def finish(settings: Config, found: Mined, *, private: bool, as_json: bool) -> None:
    """Write the page and tell what came of it; exit 1 without a suite."""
    from harness.cli.show import print_json
    from harness.report.calibration import write_calibration
    from harness.report.mining import mining_page

    page = found.folder / PAGE
    write_calibration(page, mining_page(found.project, found.outcomes, found.places, found.told, private=private))
    if as_json:
        print_json(_document(found, page))
    else:
        _print(settings, found, page)
    if found.suite is None:
        raise typer.Exit(1)


def told(outcome: Outcome) -> str:
    """One step on one line."""
    if outcome.task:
        return f"  kept {outcome.task} ({outcome.difficulty}, {outcome.failing} fail to pass, {outcome.seconds:.1f} s)"
    words = f"{outcome.reason}: {outcome.detail}"[:200]
    return f"  {'rejected' if outcome.tried else 'passed by'} {outcome.fix[:10]} {outcome.date[:10]} {words}"


def _document(found: Mined, page: Path) -> dict[str, object]:
    from harness.report.mining import figures_of

    figures = figures_of(found.outcomes)
    return {
        "suite": str(found.folder) if found.suite else None,
        "page": str(page),
        "steps": figures.steps,
        "tried": figures.tried,
        "kept": figures.kept,
        "median_seconds": round(figures.seconds, 2),
        "usd": round(sum(outcome.usd for outcome in found.outcomes), 4),
        "splits": Counter(str(place.split) for place in found.places),
        "rejected": Counter(outcome.reason for outcome in found.outcomes if outcome.reason),
        "told": list(found.told),
    }


def _print(settings: Config, found: Mined, page: Path) -> None:
    from harness.cli.show import say
    from harness.report.mining import figures_of

    figures = figures_of(found.outcomes)
    counts = Counter(outcome.reason for outcome in found.outcomes if outcome.reason and outcome.tried)
    say(
        f"{counted(figures.kept, 'task')} of {counted(figures.tried, 'candidate')} ({figures.share}); "
        f"median {figures.seconds:.1f} s a candidate"
    )
    for reason, count in counts.most_common():
        say(f"  {count} {reason}")
    say(f"  {sum(bool(one.reason) and not one.tried for one in found.outcomes)} of {figures.steps} steps passed by on sight")
    for text in found.told:
        say(text)
    if found.suite:
        splits = Counter(str(place.split) for place in found.places)
        say(f"{found.folder}: {', '.join(f'{count} {split}' for split, count in splits.items())}; admitted")
        say(onward(settings, found.suite, found.folder))
    say(f"page: {page}")
