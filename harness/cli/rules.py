"""`harness rules`: a project's own conventions, checked on a change."""

from __future__ import annotations

import os
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from harness.cli import options
from harness.cli.options import Given
from harness.counted import counted
from harness.printable import printable

if TYPE_CHECKING:
    from harness.evidence import Finding
    from harness.git_history import Commit
    from harness.ports import Json
    from harness.style.check import Checked
    from harness.style.history import History
    from harness.style.packs import Pack
    from harness.style.replay import Calibrated
    from harness.tree import File, Tree

app = typer.Typer(help="Rules: a project's own conventions, from its documents to findings.", no_args_is_help=True)
MOST_SHOWN = 200
REHEARSED = "REHEARSAL: read by a stand-in that knows strong words and common conventions, not by a model."

Base = Annotated[str, typer.Option("--base", help="What the change started from: a folder, or a git revision of --after.")]
After = Annotated[Path, typer.Option("--after", help="The folder with the change.")]
PackFile = Annotated[Path | None, typer.Option("--pack", help="Rule pack; without one, the tree's own linter configuration.")]
Repo = Annotated[Path, typer.Argument(help="A checkout of the project.")]
SarifFile = Annotated[Path | None, typer.Option("--sarif", help="Write the new findings as SARIF 2.1.0 too.")]


@app.command()
def check(
    base: Base, after: After = Path(), pack: PackFile = None, sarif: SarifFile = None, as_json: options.AsJson = False
) -> None:
    """New violations of a project's rules between two trees. Exit 1 where one gates."""
    from harness.cli.show import print_json
    from harness.style.check import NO_PACK, checked
    from harness.style.checkout import checkout

    rules = NO_PACK if pack is None else _pack(pack)
    before, commits = _before(base, after)
    now = checkout(after)
    if pack is not None:
        _check_quotes(rules, now, after, str(pack))
    found = checked(before, now, rules, commits)
    if sarif is not None:
        _write_sarif(sarif, found, rules)
    if as_json:
        print_json(_document(found))
    else:
        _print(found, rules)
    if any(finding.gating for finding in found.report.new):
        raise typer.Exit(1)


@app.command("compile")
def compile_rules(
    repo: Repo = Path(),
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Write the pack here; else it goes to stdout.")] = None,
    config: options.ConfigFile = None,
    model: options.Model = None,
    seed: options.Seed = None,
    max_usd: options.MaxUsd = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Replace a pack that is there.")] = False,
    as_json: options.AsJson = False,
) -> None:
    """A repository's documents into a rule pack: a model proposes rules with quotes, and inventions are refused."""
    from harness.cli.show import print_json, say
    from harness.errors import InputError
    from harness.git_history import is_repository
    from harness.own_files import own
    from harness.style.checkout import checkout
    from harness.style.compile import compiled
    from harness.style.history import History
    from harness.wiring.service import reader

    settings = Given(config=config, model=model, seed=seed, max_usd=max_usd).settings()
    if output is not None and output.exists() and not yes:
        raise InputError(f"{output}: is there already, perhaps edited by hand; name another file, or replace it with --yes")
    tree = own(checkout(repo))
    commit = History(repo).id_of("HEAD") if is_repository(repo) else ""
    if not settings.is_rehearsal:
        _affordable(tree, settings.model.id, settings.budget.max_usd)
    said = (REHEARSED,) if settings.is_rehearsal else ()
    with reader(settings) as service:
        found = compiled(tree, commit, service, settings.model.id, said)
    if output is not None:
        _write(output, found.text)
    told = (*found.refused, *found.demoted, *_uncommitted(repo, tree, found.documents))
    if as_json:
        rules = [{"id": one.id, "kind": one.kind, "check": one.check, "file": one.file, "line": one.line} for one in found.rules]
        print_json({"documents": list(found.documents), "rules": rules, "refused": list(found.refused), "told": list(told)})
    elif output is None:
        say(found.text)
    for text in told:
        typer.echo(printable(text), err=True)
    checks = sum(rule.kind != "judge" for rule in found.rules)
    summary = f"{counted(len(found.rules), 'rule')} from {counted(len(found.documents), 'document')}: {checks} with a check"
    then = f"harness rules replay {quote(str(output)) if output else 'PACK'} {quote(str(repo))}"
    typer.echo(f"{summary}, the others for reviewers; {len(found.refused)} refused; next: {then}", err=True)


@app.command()
def replay(
    pack: Annotated[Path, typer.Argument(help="Rule pack.")],
    repo: Repo = Path(),
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Write the labelled pack here, not in place.")] = None,
    page: Annotated[Path | None, typer.Option(help="Write the page here; else beside the pack.")] = None,
    most: Annotated[int, typer.Option("--commits", min=1, help="Newest commits of the main line.")] = 200,
    commands: Annotated[int, typer.Option(min=0, help="Over how many of them rules of other tools are run.")] = 0,
    contrast: Annotated[list[Path] | None, typer.Option(help="Checkout or source tree of another project; repeatable.")] = None,
    as_json: options.AsJson = False,
) -> None:
    """Measure every rule on the project's own merged commits, and write its label: enforced, customary, stated only, free."""
    from harness.cli.show import print_json, say
    from harness.report.calibration import calibration_page, rates, write_calibration
    from harness.style.history import History
    from harness.style.pack_text import relabelled

    rules, history = _pack(pack), History(repo)
    text = pack.read_text(encoding="utf-8")
    _check_quotes(rules, history.tree("HEAD"), repo, str(pack))
    relabelled(text, {rule.id: {"label": rule.label} for rule in rules.rules}, str(pack))  # before the work, not after it
    found, notes = _replayed(rules, history, (most, commands), contrast or [])
    target = output or pack
    place, count = page or target.with_suffix(".html"), len(history.commits(most=most))
    _write(target, relabelled(text, {one.rule.id: one.written for one in found}, str(pack)))
    write_calibration(place, calibration_page(repo.resolve().name, found, rules.judged, count, notes))
    if as_json:
        print_json({"commits": count, "page": str(place), "rules": {one.rule.id: one.written for one in found}, "notes": notes})
        return
    for one in found:
        say(f"{one.label:11}  {one.rule.id}: {rates(one.own)}")
    for note in notes:
        say(f"note: {note}")
    say(f"{counted(count, 'commit')} replayed; labels in {target}, page {place}")


def _replayed(
    rules: Pack, history: History, counts: tuple[int, int], others: list[Path]
) -> tuple[tuple[Calibrated, ...], list[str]]:
    """The rules as counted, and what a reader should know; `counts` are how many commits, and how many with other tools."""
    from harness.git_history import is_repository
    from harness.own_files import own
    from harness.style.checkout import checkout
    from harness.style.history import History
    from harness.style.replay import Replay

    most, commands = counts
    notes: list[str] = []
    if rules.commands and not commands:
        notes.append(f"other tools ({len(rules.commands)} of the rules) were not run; --commands N runs them over N commits")
    run = Replay(rules, notes.append)
    histories = [History(other) for other in others if is_repository(other)]
    trees = [own(checkout(other)) for other in others if not is_repository(other)]
    counted_here = run.own(history, most=most, commands=commands)
    return run.contrast(counted_here, histories, trees, most=most), notes


def _affordable(tree: Tree, model: str, limit: float | None) -> None:
    """Tell what reading will cost, and stop where that is more than was allowed."""
    from harness.errors import ConfigError
    from harness.models.prices import list_prices
    from harness.rollout import Usage
    from harness.style.compile import tokens

    sent, received = tokens(tree)
    cost = list_prices().cost(model, Usage(input=sent, output=received, calls=1))
    typer.echo(f"Estimate: {'unknown' if cost is None else f'${cost:.2f}'} with {model} at most", err=True)
    if limit is None or cost is None or cost > limit:
        raise ConfigError(f"reading the documents with {model} needs --max-usd of at least the estimate")


def _uncommitted(repo: Path, tree: Tree, names: tuple[str, ...]) -> tuple[str, ...]:
    """A warning for each document that differs from the commit which the pack names."""
    from harness.git_history import is_repository
    from harness.style.history import History

    if not is_repository(repo):
        return ()
    committed = History(repo).tree("HEAD")
    return tuple(
        f"{name}: has uncommitted changes, so its quotes may not stand in the commit"
        for name in names
        if (before := committed.get(name)) is None or _lines_of(before) != _lines_of(tree.by_path[name])
    )


def _lines_of(file: File) -> bytes:
    """The content with one kind of line end: git may have made another of it in the work tree."""
    return file.content.replace(b"\r\n", b"\n")


def _write(path: Path, text: str) -> None:
    """Whole or not at all: a pack may hold a person's own work."""
    from harness.errors import InputError

    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        fresh.write_text(text, encoding="utf-8")
        fresh.replace(path)
    except OSError as error:
        if fresh.is_file():
            fresh.unlink()
        raise InputError(f"{path}: cannot be written ({error.strerror})") from error


def _pack(path: Path) -> Pack:
    from harness.errors import InputError
    from harness.style.packs import load_pack

    try:
        return load_pack(path.read_text(encoding="utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"{path}: cannot be read ({error}); name a rule pack in TOML, as harness rules compile writes"
        ) from error


def _before(base: str, after: Path) -> tuple[Tree, tuple[Commit, ...]]:
    """The tree that the change started from; with a revision also the commits since."""
    from harness.errors import InputError
    from harness.git_history import is_repository
    from harness.style.checkout import checkout
    from harness.style.history import History

    if Path(base).is_dir():
        return checkout(Path(base)), ()
    if not is_repository(after):
        raise InputError(f"--base {base}: no such folder, and {after} is no git checkout whose revision it could be")
    history = History(after)
    return history.files(base), history.commits(most=1000, after=base)


def _check_quotes(pack: Pack, now: Tree, after: Path, where: str) -> None:
    """Quotes are checked at the commit that the pack names, else where they must stand now."""
    from harness.errors import InputError
    from harness.git_history import is_repository
    from harness.style.history import History
    from harness.style.packs import check_quotes

    documents = now
    if pack.commit and is_repository(after):
        try:
            documents = History(after).tree(pack.commit)
        except InputError as error:
            raise InputError(
                f"{where}: its quotes were read at commit {pack.commit[:12]}, which this checkout does not have; fetch it"
            ) from error
    check_quotes(pack, documents, where)


def _write_sarif(path: Path, found: Checked, pack: Pack) -> None:
    import json

    from harness.style.sarif import sarif_document

    _write(path, json.dumps(sarif_document(found.report.new, pack), indent=1) + "\n")


def _document(found: Checked) -> dict[str, Json]:
    report = found.report
    return {
        "new": [_finding(item) for item in report.new],
        "existing": [_finding(item) for item in report.existing],
        "suppressed": [_finding(item) for item in report.suppressed],
        "fixable": sum(item.fixable for item in report.new),
        "dropped": list(report.dropped),
        "notes": [_clean(note) for note in found.notes],
    }


def _finding(item: Finding) -> dict[str, Json]:
    names = ("rule", "path", "line", "message", "gating", "fixable", "quote")
    shown: dict[str, Json] = {name: getattr(item, name) for name in names}
    return {name: _clean(value) if isinstance(value, str) else value for name, value in shown.items()}


def _clean(text: str) -> str:
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _print(found: Checked, pack: Pack) -> None:
    from harness.cli.show import say

    places = {rule.id: f"{rule.file}:{rule.line}" for rule in pack.rules}
    new = found.report.new
    for item in new[:MOST_SHOWN]:
        say(f"{item.path}:{item.line}: {item.message} [{item.rule}]{'' if item.gating else ' (reported only)'}")
        if item.quote:
            say(f'    "{item.quote}" ({places.get(item.rule, "")})')
    if len(new) > MOST_SHOWN:
        say(f"... and {len(new) - MOST_SHOWN:,} more; --json has them all")
    for note in found.notes:
        say(f"note: {note}")
    gating, fixable = (sum(flags) for flags in ([item.gating for item in new], [item.fixable for item in new]))
    old = len(found.report.existing)
    say(f"{counted(len(new), 'new violation')}: {gating:,} gating, {fixable:,} with an automatic fix; there before: {old:,}")
