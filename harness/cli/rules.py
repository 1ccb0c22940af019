"""`harness rules`: a project's own conventions, checked on a change."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from harness.cli import options

if TYPE_CHECKING:
    from harness.evidence import Finding
    from harness.ports import Json
    from harness.style.check import Checked
    from harness.style.history import Commit
    from harness.style.packs import Pack
    from harness.tree import Tree

app = typer.Typer(help="Rules: a project's own conventions, from its documents to findings.", no_args_is_help=True)
MOST_SHOWN = 200

Base = Annotated[str, typer.Option("--base", help="What the change started from: a folder, or a git revision of --after.")]
After = Annotated[Path, typer.Option("--after", help="The folder with the change.")]
PackFile = Annotated[Path | None, typer.Option("--pack", help="Rule pack; without one, the tree's own linter configuration.")]
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
        _check_quotes(rules, before, after, str(pack))
    found = checked(before, now, rules, commits)
    if sarif is not None:
        _write_sarif(sarif, found, rules)
    if as_json:
        print_json(_document(found))
    else:
        _print(found, rules)
    if any(finding.gating for finding in found.report.new):
        raise typer.Exit(1)


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
    from harness.style.checkout import checkout
    from harness.style.history import History, is_repository

    if Path(base).is_dir():
        return checkout(Path(base)), ()
    if not is_repository(after):
        raise InputError(f"--base {base}: no such folder, and {after} is no git checkout whose revision it could be")
    history = History(after)
    return history.tree(base), history.commits(most=1000, after=base)


def _check_quotes(pack: Pack, base: Tree, after: Path, where: str) -> None:
    """Quotes are checked at the pack's commit where the checkout has it, else in the base."""
    from harness.errors import InputError
    from harness.style.history import History, is_repository
    from harness.style.packs import check_quotes

    documents = base
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

    from harness.errors import InputError
    from harness.style.sarif import sarif_document

    text = json.dumps(sarif_document(found.report.new, pack), indent=1) + "\n"
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from error


def _document(found: Checked) -> dict[str, Json]:
    report = found.report
    return {
        "new": [_finding(item) for item in report.new],
        "existing": [_finding(item) for item in report.existing],
        "suppressed": [_finding(item) for item in report.suppressed],
        "fixable": sum(item.fixable for item in report.new),
        "dropped": list(report.dropped),
        "notes": list(found.notes),
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
    say(f"{len(new):,} new violations: {gating:,} gate, {fixable:,} have an automatic fix; {old:,} were there before")
