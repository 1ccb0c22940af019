"""`harness audit`: what was decided and why, and whether the record is as it was written."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from harness.cli import options
from harness.cli.options import Given

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.ledger.store import Store

app = typer.Typer(help="What was decided and why, and whether the record is as it was written.", no_args_is_help=True)
Name = Annotated[str, typer.Argument(help="Decision id, or a generation of the latest campaign.")]


@app.command("list")
def list_decisions(
    decision: Annotated[str, typer.Option("--decision", help="Only these: promote, reject, inconclusive ...")] = "",
    campaign: Annotated[str, typer.Option("--campaign", help="Only this campaign, by its first digits.")] = "",
    since: options.Since = "",
    config: options.ConfigFile = None,
    state: options.State = None,
    as_json: options.AsJson = False,
) -> None:
    """Every decision of the ledger, or those that the filters leave."""
    from harness.audit.listing import Filter, listed, listed_text
    from harness.cli.show import print_json, say

    wanted = Filter.of(decision=decision, campaign=campaign, since=since)
    with _store(config, state) as (store, _):
        found = tuple(one for one in listed(store) if wanted.keeps(one))
    if as_json:
        print_json({"decisions": [asdict(decision) for decision in found]})
    else:
        say(listed_text(found))


@app.command()
def show(name: Name, config: options.ConfigFile = None, state: options.State = None, as_json: options.AsJson = False) -> None:
    """One decision with its three comparisons."""
    from harness.audit.listing import shown
    from harness.cli.show import print_decision, print_json, say
    from harness.ledger.history import find_decision

    with _store(config, state) as (store, _):
        document = shown(store, name)
        _, generation = find_decision(store, name)
    if as_json:
        print_json(document)
    elif generation.record.decision:
        print_decision(generation.record.decision)
    else:
        say(f"{generation.decision.row.decision}: {generation.decision.row.reason}")


@app.command()
def why(name: Name, config: options.ConfigFile = None, state: options.State = None) -> None:
    """One screen: rule, comparisons, what changed, which tasks flipped, votes with quotes, cost, possible bias."""
    from harness.audit.why import why as answer
    from harness.audit.why import why_text
    from harness.cli.show import say

    with _store(config, state) as (store, _):
        say(why_text(answer(store, name)))


@app.command()
def digest(
    since: options.Since = "",
    config: options.ConfigFile = None,
    state: options.State = None,
) -> None:
    """What the loop changed in a time, to be read by the people who work under it: each move, the lines changed, who said yes."""
    from harness.audit.digest import digest as text
    from harness.cli.show import say

    with _store(config, state) as (store, _):
        say(text(store, since))


@app.command()
def verify(
    head: Annotated[list[str] | None, typer.Option("--head", help="SEQ:HASH kept elsewhere; shows a cut tail.")] = None,
    config: options.ConfigFile = None,
    state: options.State = None,
    as_json: options.AsJson = False,
) -> None:
    """Walk the chain, the blobs and the heads that pages and promotion commits carry. Exit 1 and the place of a change."""
    from harness.audit.verify import anchors_in, verification_text
    from harness.audit.verify import verify as check
    from harness.cli.show import print_json, say
    from harness.ledger.chain import Head

    kept = tuple(Head.parse(text) for text in (*(head or ()), *_committed(config, state)))
    with _store(config, state) as (store, folder):
        found = check(store, (*kept, *anchors_in(folder / "reports")))
    if as_json:
        print_json(asdict(found) | {"sound": found.sound})
    else:
        say(verification_text(found))
    if not found.sound:
        raise typer.Exit(1)


@app.command()
def replay(
    name: Annotated[str, typer.Argument(help="Decision id; everything unless given.")] = "",
    config: options.ConfigFile = None,
    state: options.State = None,
    as_json: options.AsJson = False,
) -> None:
    """Compute verdicts from evidence and decisions from verdicts again. Exit 1 where they differ."""
    from harness.audit.replay import replay as again
    from harness.audit.replay import replay_text
    from harness.cli.show import print_json, say

    with _store(config, state) as (store, _):
        found = again(store, name)
    if as_json:
        print_json(asdict(found) | {"same": found.same})
    else:
        say(replay_text(found))
    if not found.same:
        raise typer.Exit(1)


@app.command()
def export(
    name: Name,
    output: Annotated[Path, typer.Option("-o", "--output", help="Bundle to write (.zip).")],
    config: options.ConfigFile = None,
    state: options.State = None,
) -> None:
    """Pack one decision with all that it rests on: another machine verifies and replays it without Docker, key or network."""
    from harness.cli.show import say
    from harness.ledger.export import export as pack

    with _store(config, state) as (store, _):
        say(str(pack(store, name, output)))


def _committed(config: Path | None, state: Path | None) -> tuple[str, ...]:
    """The heads in the commits of the branch that promotions go to, where the configuration has one."""
    settings = Given(config=config, state=state).settings()
    if settings.output.strategy != "branches":
        return ()
    from harness.branches import heads_in
    from harness.wiring.publishing import branch_of

    branch = branch_of(settings)
    return heads_in(branch) if branch else ()


@contextmanager
def _store(config: Path | None, state: Path | None) -> Iterator[tuple[Store, Path]]:
    from harness.ledger.store import Store

    folder = Given(config=config, state=state).settings().output.state
    with Store.read(folder / "ledger.db") as store:
        yield store, folder
