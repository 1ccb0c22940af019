"""The style instrument: rule pack, linter, formatter and suppressions of one change, put together into one report.

Nothing here runs a tool, and nothing here fixes code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.errors import SuiteError
from harness.evidence import Finding, StyleReport
from harness.linter_files import plugins_of
from harness.style.checks import ChangeCheck, FileCheck, SourceCheck, deltas
from harness.style.compare import SYNTAX, compared, key
from harness.style.linter import command_lines, linter_findings
from harness.style.packs import Gate, Pack, check_quotes, check_tools, load_pack
from harness.style.source import parsed
from harness.style.suppressions import new_suppressions
from harness.tree import applied, difference, matches, parents

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from harness.linter_plugins import Held
    from harness.ports import LintRun
    from harness.rollout import Change
    from harness.style.checks import FileDelta, Renames, Site
    from harness.style.packs import Rule
    from harness.task import Suite, Task
    from harness.tree import File, Tree


def pack_findings(pack: Pack, base: Tree, after: Tree, renames: Renames = ()) -> StyleReport:
    """Violations of the pack's rules that the change adds, and those that its files had before.

    Only files of the change are read: a check of one file cannot find anything new in a file that nobody touched. A changed
    Python file that a rule covers and that cannot be parsed is itself a finding. `renames` are (old, new) paths.
    """
    change = deltas(base, after, renames)
    pairs = [_in_file(pack, file) for file in change]
    before = [finding for old, _ in pairs for finding in old]
    now = [finding for _, new in pairs for finding in new]
    for rule in pack.checked:
        if isinstance(rule.check, ChangeCheck):
            now += [_finding(rule, site.path, site) for site in rule.check.sites(change)]
    new_ones, existing = compared(before, (*now, *_unparsed(pack, change)))
    return StyleReport(new=new_ones, existing=existing)


def _in_file(pack: Pack, file: FileDelta) -> tuple[list[Finding], list[Finding]]:
    """Violations in one file before and after."""
    before: list[Finding] = []
    now: list[Finding] = []
    for rule in pack.checked:
        if isinstance(rule.check, FileCheck) and matches(file.path, rule.check.paths):
            new = [_finding(rule, file.path, site) for site in _in(rule.check, file.new)]
            old = [_finding(rule, file.path, site) for site in _in(rule.check, file.old)]
            now += new
            before += new if _nothing_to_compare(rule.check, file.old) else old
    return before, now


def _nothing_to_compare(check: FileCheck, old: File | None) -> bool:
    """Whether the file could not be parsed before: then all that is found now counts as old."""
    return isinstance(check, SourceCheck) and old is not None and parsed(old.content) is None


def _in(check: FileCheck, file: File | None) -> Iterable[Site]:
    return check.violations(file) if file else ()


def _unparsed(pack: Pack, change: tuple[FileDelta, ...]) -> Iterator[Finding]:
    covered = [path for rule in pack.checked if isinstance(rule.check, SourceCheck) for path in rule.check.paths]
    for file in change:
        broken = file.new is not None and matches(file.path, covered) and parsed(file.new.content) is None
        if broken and not (file.old is not None and parsed(file.old.content) is None):
            message = "cannot be parsed as Python"
            yield Finding(rule=SYNTAX, path=file.path, line=1, message=message, key=key(file.path, SYNTAX, "file"))


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


class StyleInstrument:
    """Implements `ports.Stylist` for the packs of one suite."""

    def __init__(self, suite: Suite, dropped: Mapping[str, tuple[str, ...]] | None = None) -> None:
        """Read the suite's packs. `dropped` names, by task id, rules that the task's reference breaks.

        Raises:
            SuiteError: a pack is not valid, a task names an unknown one, a written pack's quote does not stand where it says,
                a pack needs a tool that the suite does not pin, or a tool would load code that the task is about.
        """
        self._packs = {name: load_pack(text, f"pack {name}") for name, text in suite.packs}
        self._tools = dict(suite.tools)
        self._dropped = dict(dropped or {})
        for name, pack in self._packs.items():
            check_tools(pack, self._tools, f"pack {name}")
        for task in suite.tasks:
            pack = self._pack(task)
            _check_plugins(task, plugins_of(task.base, lines_of(pack)))
            if not pack.commit:
                check_quotes(pack, task.reference, f"pack {task.pack}, task {task.id}")

    def measure(self, task: Task, change: Change, lint: LintRun) -> StyleReport:
        """What the change newly breaks, what its files broke before, what it tries to switch off, and what does not count.

        Raises:
            SuiteError: the linter fails on the untouched base, fails on the change for no reason that lies in the change, or is
                another version than the suite's.
        """
        pinned = self._tools.get("ruff", "")
        if pinned and pinned not in lint.version.split():
            raise SuiteError(f"the suite is pinned to ruff {pinned}, and {lint.version or 'an unknown version'} was run")
        after = applied(task.base, change.files)
        pack = self._pack(task)
        by_pack = pack_findings(pack, task.base, after, change.renames)
        linted, linted_before = linter_findings(lint, task.base, after, change, pack.commands)
        plugins = plugins_of(task.base, lines_of(pack))
        suppressed = new_suppressions(task.base, after, task.reference, change.renames, plugins)
        dropped = (*self._dropped.get(task.id, ()), *(rule.id for rule in pack.messages))
        said = {finding.key for finding in linted}
        found = (*linted, *(finding for finding in by_pack.new if finding.key not in said), *suppressed)
        new = tuple(finding for finding in found if finding.rule not in dropped)
        return StyleReport(new=new, existing=(*linted_before, *by_pack.existing), suppressed=suppressed, dropped=dropped)

    def _pack(self, task: Task) -> Pack:
        if not task.pack:
            return Pack(commit="", tools=(), rules=())
        if task.pack not in self._packs:
            raise SuiteError(f"task {task.id}: no rule pack named {task.pack!r}; there are {', '.join(self._packs) or 'none'}")
        return self._packs[task.pack]


def lines_of(pack: Pack) -> tuple[tuple[str, ...], ...]:
    """The command lines of all linters that a pack's task is measured by, ruff's by its name alone."""
    return (("ruff",), *command_lines(pack.commands))


def _check_plugins(task: Task, plugins: Held) -> None:
    """A plug-in's folder is the base's when the linter runs: what a task changes there could not be measured."""
    for file in difference(task.base, task.reference):
        if not plugins.folders.isdisjoint(parents(file.path)):
            raise SuiteError(
                f"task {task.id}: its reference changes {file.path}, in a folder that a linter loads a plug-in from; "
                "move the plug-in to a folder of its own, or run the linter with settings that name none"
            )


def pack_commands(suite: Suite) -> dict[str, tuple[tuple[str, ...], ...]]:
    """By pack, the command lines that its rules need run over base and after.

    Raises:
        SuiteError: a pack is not valid.
    """
    packs = {name: load_pack(text, f"pack {name}") for name, text in suite.packs}
    return {name: command_lines(pack.commands) for name, pack in packs.items()}


def judge_rules(suite: Suite, dropped: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """By task, the rules that go to the reviewers, but for those dropped there: each quote with the place where it stands.

    Raises:
        SuiteError: a pack is not valid.
    """
    packs = {name: load_pack(text, f"pack {name}").judged for name, text in suite.packs}
    return {
        task.id: tuple(
            f'"{rule.quote}" ({rule.file}:{rule.line})'
            for rule in packs.get(task.pack, ())
            if rule.id not in dropped.get(task.id, ())
        )
        for task in suite.tasks
    }
