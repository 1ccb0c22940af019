"""`harness init`: a team's repository made ready."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Iterable

NAME = "init"


def run(
    folder: Annotated[Path, typer.Argument(metavar="[DIR]", help="The repository.")] = Path(),
    skill: Annotated[Path | None, typer.Option("--skill", help="Instructions to start from; those found first.")] = None,
    suite: Annotated[Path | None, typer.Option("--suite", help="Suite to use; the repository's, else the bundled one.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> None:
    """Look at a repository and write what is missing: harness.toml, reviewers, nightly workflow. Changes no file."""
    from harness.cli.show import print_json, say
    from harness.errors import InputError
    from harness.starter.files import plan, write
    from harness.starter.project import look
    from harness.suites.catalog import load_suite

    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder; name the repository to make ready")
    found = look(folder.resolve())
    if suite:
        load_suite(suite)
    planned = plan(found, skill, suite.resolve() if suite else None)
    written = write(found.root, planned)
    mine = "harness suite mine ." if found.is_git and not found.suites else None
    if as_json:
        names = {"skill": str(planned.skill), "suite": str(planned.suite)}
        print_json({**names, "new": written.new, "kept": written.kept, "own_tasks": mine})
        return
    say(f"Instructions: {_listed(map(str, found.skills)) or 'none; the shipped skills/coding is the start'}")
    say(f"Tests:        {_listed(found.tests) or 'none found'}")
    say(f"Linters:      {_listed(found.linters) or 'none found'}")
    say(f"Rules:        {found.contributing or 'no CONTRIBUTING file'}")
    say(f"Baseline:     {planned.skill}")
    say(f"Suite:        {planned.suite}")
    if mine:
        say(f"Own tasks:    none yet; `{mine}` makes a suite of this repository's merged changes, in containers")
    for name in written.new:
        say(f"written       {name}")
    for name in written.kept:
        say(f"kept          {name} (it was there)")
    where = "" if found.root == Path.cwd() else f"cd {quote(str(found.root))} && "
    say(f"Next: {where}harness doctor && harness evolve --max-generations 4")


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)
