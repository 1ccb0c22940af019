"""`harness suite mutate`: a suite of faults put into a healthy project."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from harness.cli import options
from harness.cli.mine import Harmless, Public, onward
from harness.cli.options import Given, takes
from harness.counted import counted

if TYPE_CHECKING:
    from harness.config import Config
    from harness.wiring.mutate import Made

NAME = "mutate"


@takes("seed", "config", "jobs", "state")
def run(
    repository: Annotated[str, typer.Argument(metavar="REPO", help="A git repository (path or address) or a plain folder.")],
    given: Given,
    out: Annotated[
        Path | None, typer.Option("--out", help="Folder of the suite; task_suites/<folder>-mutants without it.")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, help="Tasks at most.")] = 36,
    harmless: Harmless = None,
    public: Public = False,
    quiet: options.Quiet = False,
    as_json: options.AsJson = False,
) -> None:
    """A suite of faults put into a healthy project, one a task, kept where its tests notice. A stopped run goes on from there.

    Exit 1 when no task is kept.
    """
    from harness.cli.progress import progress_for
    from harness.cli.show import print_json, say
    from harness.errors import InputError
    from harness.suites.rejected import Rejected
    from harness.wiring.mutate import Wanted, mutate

    settings = given.settings()
    name = Path(repository.rstrip("/")).resolve().name.removesuffix(".git")
    folder = out or Path("task_suites") / f"{name}-mutants"
    wanted = Wanted(source=repository, out=folder, limit=limit, private=not public, harmless=tuple(harmless or ()))
    try:
        with progress_for(quiet=quiet) as progress:
            made = mutate(settings, wanted, progress)
    except Rejected as error:
        raise InputError(f"{repository}: cannot be mutated: {error}; mend that, or name another folder") from error
    if as_json:
        print_json(_document(made, folder))
    else:
        for line in _lines(settings, made, folder):
            say(line)
    if made.suite is None:
        raise typer.Exit(1)


def _document(made: Made, folder: Path) -> dict[str, object]:
    tried = [
        {"place": str(one.mutant), "task": one.entry.task.id if one.entry else "", "reason": one.reason, "detail": one.detail}
        for one in made.tried
    ]
    return {"suite": str(folder) if made.suite else None, "kept": len(made.suite.tasks) if made.suite else 0, "tried": tried}


def _lines(settings: Config, made: Made, folder: Path) -> list[str]:
    kept = [one for one in made.tried if one.entry]
    share = f"{len(kept) / len(made.tried):.0%}" if made.tried else "none"
    lines = [f"{counted(len(kept), 'task')} of {counted(len(made.tried), 'mutant')} ({share})"]
    lines += [
        f"  {count} {operator}" for operator, count in Counter(str(one.mutant.mutation.operator) for one in kept).most_common()
    ]
    dropped = [one for one in made.tried if one.entry is None]
    lines += [f"  {count} dropped: {reason}" for reason, count in Counter(one.reason for one in dropped).most_common()]
    lines += [f"    {one.mutant}: {one.reason}: {one.detail}" for one in dropped]
    if made.suite is None:
        return [*lines, "nothing was written"]
    splits = Counter(str(task.split) for task in made.suite.tasks)
    lines.append(f"{folder}: {', '.join(f'{count} {split}' for split, count in sorted(splits.items()))}; admitted")
    return [*lines, onward(settings, made.suite, folder)]
