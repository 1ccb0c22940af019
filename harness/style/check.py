"""`rules check` without its printing: what a change of a checkout newly breaks, by pack and linter."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from harness.counted import counted
from harness.evidence import Finding, StyleReport
from harness.linter_files import plugins_of
from harness.own_files import own_sides
from harness.rollout import Change
from harness.style.checks import CommitCheck
from harness.style.compare import key
from harness.style.host import lint_here, renames_here
from harness.style.linter import linter_findings
from harness.style.measure import lines_of, pack_findings
from harness.style.packs import Gate, Pack
from harness.style.ruff import FORMAT
from harness.style.suppressions import new_suppressions
from harness.tree import Tree, difference

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from harness.git_history import Commit
    from harness.style.packs import Rule

NO_PACK = Pack(commit="", tools=(), rules=())
FOLLOWED = 0.95  # of the base's Python files: a formatter that a project does not follow is no convention of it


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """The report, and what a person should know about how it came about."""

    report: StyleReport
    notes: tuple[str, ...]


def checked(base: Tree, after: Tree, pack: Pack = NO_PACK, commits: Iterable[Commit] = ()) -> Checked:
    """What the change from `base` to `after` newly breaks; `commits` are those of the change, for rules about messages.

    Suppressions are reported and do not gate: unlike an agent under trial, a person explains them to whoever reviews. Caches and
    suites that lie in the base are no part of it.

    Raises:
        UnavailableError: a tool is missing or of another version than the pack's.
        SuiteError: a tool cannot be used on the base, or fails for no reason that lies in the change.
    """
    base, after, left_out = own_sides(base, after)
    change = Change(files=difference(base, after), patch=b"", renames=renames_here(base, after))
    lint = lint_here(base, after, pack)
    linted, existing = linter_findings(lint, base, after, change, pack.commands)
    by_pack = pack_findings(pack, base, after, change.renames)
    plugins = plugins_of(base, lines_of(pack))
    suppressed = tuple(replace(item, gating=False) for item in new_suppressions(base, after, base, change.renames, plugins))
    said = {finding.key for finding in linted}
    found = (*linted, *(item for item in by_pack.new if item.key not in said), *suppressed, *_messages(pack, commits))
    dropped = (FORMAT,) if _not_followed(base, existing) else ()
    report = StyleReport(
        new=tuple(
            sorted((item for item in found if item.rule not in dropped), key=lambda item: (item.path, item.line, item.rule))
        ),
        existing=(*existing, *by_pack.existing),
        suppressed=suppressed,
        dropped=dropped,
    )
    return Checked(report=report, notes=(*_left_out(left_out), *_notes(pack, lint.version, dropped, commits)))


def _not_followed(base: Tree, existing: tuple[Finding, ...]) -> bool:
    unformatted = sum(finding.rule == FORMAT for finding in existing)
    return unformatted > (1 - FOLLOWED) * sum(path.endswith((".py", ".pyi")) for path, _ in base)


def _messages(pack: Pack, commits: Iterable[Commit]) -> Iterator[Finding]:
    for commit in commits:
        for rule in pack.messages:
            for site in rule.check.sites(commit.message) if isinstance(rule.check, CommitCheck) else ():
                finding = Finding(rule=rule.id, path=f"commit {commit.id[:12]}", line=site.line, message=site.message, key="")
                gating, symbol = rule.gate is Gate.HARD, key(finding.path, rule.id, site.symbol)
                yield replace(finding, key=symbol, gating=gating, quote=rule.quote)


def _left_out(folders: tuple[str, ...]) -> Iterator[str]:
    outermost = [folder for folder in folders if not any(folder != other and folder.startswith(other) for other in folders)]
    if outermost:
        yield f"not asked of suites of tasks: {', '.join(outermost)}"


def _notes(pack: Pack, ruff: str, dropped: tuple[str, ...], commits: Iterable[Commit]) -> Iterator[str]:
    if not ruff:
        yield "the base configures no ruff, so neither its linter nor its formatter was run"
    if dropped:
        yield "most of the base is not formatted as ruff would, so formatting does not count"
    if pack.messages and not tuple(commits):
        yield f"{_rules(pack.messages)} about commit messages not asked: there is no commit after the base, or it is a folder"
    if pack.judged:
        yield f"{_rules(pack.judged)} for judgement not asked here: in trials the reviewers are asked"


def _rules(rules: tuple[Rule, ...]) -> str:
    return counted(len(rules), "rule")
