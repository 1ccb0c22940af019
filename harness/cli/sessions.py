"""`harness suite from-sessions`: a suite from a team's sessions with a coding agent."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from harness.cli import mine, options
from harness.cli.options import Given, takes

if TYPE_CHECKING:
    from harness.suites.sessions import Session

NAME = "from-sessions"


@takes(*mine.SHARED)
def run(
    transcripts: Annotated[Path, typer.Argument(help="A Claude Code transcript (.jsonl), or a folder of them.")],
    repository: Annotated[str, typer.Argument(metavar="REPO", help="The repository that has what was merged of them.")],
    given: Given,
    commit: Annotated[
        list[str] | None,
        typer.Option(
            "--commit", help="The merged commit: SESSION=HASH, or HASH of an only session; else found by date and files."
        ),
    ] = None,
    out: mine.Out = None,
    holdout: mine.Holdout = 0.5,
    vault: mine.Vault = 0.0,
    harmless: mine.Harmless = None,
    public: mine.Public = False,
    quiet: options.Quiet = False,
    as_json: options.AsJson = False,
) -> None:
    """A suite from sessions with a coding agent: prompt as statement, merged change as reference. Exit 1 when no task is kept."""
    settings = given.settings()

    from harness.cli.progress import progress_for
    from harness.suites.sessions import Sessions, read_sessions
    from harness.wiring.mining import Order
    from harness.wiring.mining import mine as mined

    sessions, skipped = read_sessions(transcripts)
    unused = list(skipped)
    named = _named(commit or (), sessions)

    def history(folder: Path) -> Sessions:
        matched = Sessions(folder, sessions, named, settings.suite.deny)
        unused.extend(matched.skipped)
        return matched

    order = Order(
        repository=repository,
        out=out,
        holdout=holdout,
        vault=vault,
        private=not public,
        source="session",
        harmless=tuple(harmless or ()),
    )
    with progress_for(quiet=quiet) as progress:
        found = mined(settings, order, progress, lambda outcome: progress.note(mine.told(outcome)), history)
    found = replace(found, told=(*found.told, *(f"skipped {one}" for one in unused)))
    mine.finish(settings, found, private=not public, as_json=as_json)


def _named(given: list[str] | tuple[()], sessions: tuple[Session, ...]) -> dict[str, str]:
    """Commits by session. A hash alone is that of the only session."""
    from harness.errors import InputError

    named = {}
    for text in given:
        session, _, commit = text.rpartition("=")
        if not session and len(sessions) != 1:
            names = ", ".join(one.id for one in sessions) or "none"
            raise InputError(f"--commit {text}: which session's? write SESSION=HASH; there are {names}")
        named[session or sessions[0].id] = commit
    return named
