"""Measuring a change by a project's rule pack: every rule over base and after, and what is new.

Only files of the change are read: a check of one file cannot find anything new in a file that nobody touched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.evidence import Finding, StyleReport
from harness.style.checks import ChangeCheck, SourceCheck, deltas
from harness.style.compare import compared, key
from harness.style.packs import Gate
from harness.style.source import parsed
from harness.tree import matches

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from harness.style.checks import FileDelta, Renames, Site
    from harness.style.packs import Pack, Rule
    from harness.tree import File, Tree

SYNTAX = "syntax-error"


def pack_findings(pack: Pack, base: Tree, after: Tree, renames: Renames = ()) -> StyleReport:
    """Violations of the pack's rules that the change adds, and those that its files had before.

    A changed Python file that a rule covers and that cannot be parsed is itself a finding. `renames` are (old, new) paths.
    """
    change = deltas(base, after, renames)
    before: list[Finding] = []
    now: list[Finding] = []
    for rule in pack.checked:
        if isinstance(rule.check, ChangeCheck):
            now += [_finding(rule, site.path, site) for site in rule.check.sites(change)]
        elif isinstance(rule.check, SourceCheck):
            for file in change:
                if matches(file.path, rule.check.paths):
                    old, new = _sites(rule.check, file)
                    before += [_finding(rule, file.path, site) for site in old]
                    now += [_finding(rule, file.path, site) for site in new]
    new_ones, existing = compared(before, (*now, *_unparsed(pack, change)))
    return StyleReport(new=new_ones, existing=existing)


def _sites(check: SourceCheck, file: FileDelta) -> tuple[tuple[Site, ...], tuple[Site, ...]]:
    """Sites before and after. Where the file could not be parsed before, there is nothing to compare: all count as old."""
    new = tuple(_in(check, file.new))
    if file.old is not None and parsed(file.old.content) is None:
        return new, new
    return tuple(_in(check, file.old)), new


def _in(check: SourceCheck, file: File | None) -> Iterable[Site]:
    module = parsed(file.content) if file else None
    return check.sites(module) if module else ()


def _unparsed(pack: Pack, change: tuple[FileDelta, ...]) -> Iterator[Finding]:
    covered = [path for rule in pack.checked if isinstance(rule.check, SourceCheck) for path in rule.check.paths]
    for file in change:
        broken = file.new is not None and matches(file.path, covered) and parsed(file.new.content) is None
        if broken and not (file.old is not None and parsed(file.old.content) is None):
            yield syntax_error(file.path, 1, "cannot be parsed as Python")


def syntax_error(path: str, line: int, message: str) -> Finding:
    """The finding for a file that is not valid source: a style failure of the change."""
    return Finding(rule=SYNTAX, path=path, line=line, message=message, key=key(path, SYNTAX, message))


def _finding(rule: Rule, path: str, site: Site) -> Finding:
    return Finding(
        rule=rule.id,
        path=path,
        line=site.line,
        message=site.message,
        key=key(path, rule.id, site.symbol),
        gating=rule.gate is Gate.HARD,
        quote=rule.quote,
    )
