"""`harness suite split`: dev, holdout and vault by time and cluster."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from harness.cli import options
from harness.cli.mine import Holdout, Vault

NAME = "split"


def run(
    folder: Annotated[Path, typer.Argument(help="Folder with suite.toml.")],
    holdout: Holdout = 0.5,
    vault: Vault = 0.0,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say how it would be, and write nothing.")] = False,
    as_json: options.AsJson = False,
) -> None:
    """Split a suite by time and cluster: near-duplicates stay together, and the newest tasks decide."""
    from harness.cli.show import print_json, print_table, say
    from harness.errors import InputError
    from harness.suites.catalog import load_suite
    from harness.suites.splitting import apply_split, dated, placed, warnings

    tasks = dated(folder, load_suite(folder))
    places = placed(tasks, holdout=holdout, vault=vault)
    if not dry_run and not any(one.date for one in tasks):
        raise InputError(f"{folder}: its tasks have no dates to split by; they keep the split that they were made with")
    if not dry_run:
        apply_split(folder, places)
    counts = Counter(str(place.split) for place in places)
    told = warnings(tasks, places)
    if as_json:
        rows = [{"id": place.task, "split": str(place.split), "cluster": place.cluster} for place in places]
        print_json({"suite": str(folder), "written": not dry_run, "splits": counts, "tasks": rows, "warnings": list(told)})
        return
    dates = {one.task.id: one.date[:10] or "none" for one in tasks}
    print_table(
        f"{folder}{' (not written)' if dry_run else ''}",
        ("task", "date", "split", "cluster"),
        [(place.task, dates[place.task], str(place.split), place.cluster) for place in places],
    )
    say(", ".join(f"{count} {split}" for split, count in counts.items()))
    for text in told:
        say(f"warning: {text}")
    if not dry_run:
        say(f"the tasks' hashes have changed; next: harness suite check {quote(str(folder))} --record")
