"""Linter, formatter and other tools, base against after, and whose fault it is when a run of theirs cannot be used.

All runs on the untouched base must be sound before a change can be charged with anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from harness.errors import SuiteError
from harness.evidence import Finding
from harness.style.commands import Command
from harness.style.compare import SYNTAX, compared, key, renamed
from harness.style.packs import Gate
from harness.style.ruff import check_findings, format_findings
from harness.style.toolrun import UnreadableError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from harness.ports import LintRun, ToolRun
    from harness.rollout import Change
    from harness.style.packs import Rule
    from harness.tree import Tree

LINTER = "linter"
_BROKEN = frozenset({LINTER, SYNTAX, "E902"})
_VIOLATIONS = 1  # most tools' exit code for "found some"
_TIMED_OUT = 124  # as by timeout(1); above it, a signal

Read = tuple[tuple[Finding, ...], tuple[Finding, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One tool over both trees, and what reads its runs."""

    tool: str
    read: Callable[[ToolRun, Tree], tuple[Finding, ...]]
    base: ToolRun
    after: ToolRun


def command_lines(rules: Iterable[Rule]) -> tuple[tuple[str, ...], ...]:
    """The command lines that command rules need, each once, in the rules' order."""
    return tuple(dict.fromkeys(rule.check.argv for rule in rules if isinstance(rule.check, Command)))


def linter_findings(lint: LintRun, base: Tree, after: Tree, change: Change, rules: tuple[Rule, ...] = ()) -> Read:
    """New and old findings of linter, formatter and command rules, together.

    Raises:
        SuiteError: a run on the base is not sound, or one on the change fails for no reason that lies in the change.
    """
    tools = (
        Measured(tool="ruff check", read=check_findings, base=lint.base_check, after=lint.after_check),
        Measured(tool="ruff format", read=format_findings, base=lint.base_format, after=lint.after_format),
        *_commands(lint, rules),
    )
    before = [finding for tool in tools for finding in _sound(tool, base)]
    now = [finding for tool in tools for finding in _charged(tool, after, change)]
    return compared(renamed(_once(before), dict(change.renames)), _once(now))


def _commands(lint: LintRun, rules: tuple[Rule, ...]) -> Iterator[Measured]:
    lines = command_lines(rules)
    if not len(lines) == len(lint.base_commands) == len(lint.after_commands):
        raise SuiteError(f"{len(lines)} commands of the rule pack were asked for, {len(lint.after_commands)} were run")
    runs = dict(zip(lines, zip(lint.base_commands, lint.after_commands, strict=True), strict=True))
    for rule in rules:
        if isinstance(rule.check, Command):
            gating = rule.gate is Gate.HARD
            blank = Finding(rule=rule.id, path="", line=1, message="", key="", gating=gating, quote=rule.quote)
            before, now = runs[rule.check.argv]
            read = partial(rule.check.findings, rule=blank)
            yield Measured(tool=f"{rule.check.argv[0]} (rule {rule.id})", read=read, base=before, after=now)


def _once(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Linter and formatter stumble over the same broken file; that is one violation."""
    seen: set[str] = set()
    for finding in findings:
        if finding.rule not in _BROKEN or finding.key not in seen:
            yield finding
        seen.add(finding.key)


def _sound(tool: Measured, tree: Tree) -> tuple[Finding, ...]:
    try:
        return tool.read(tool.base, tree)
    except UnreadableError as error:
        raise SuiteError(f"{tool.tool} cannot be used on the untouched base: {error}") from error


def _charged(tool: Measured, tree: Tree, change: Change) -> tuple[Finding, ...]:
    """The same, of a tool that was sound on the base a moment ago.

    A change that makes it die, drown or stumble over its files is charged: were that our fault, any change could take itself
    out of the count. All else is our fault.
    """
    run = tool.after
    try:
        return tool.read(run, tree)
    except UnreadableError as error:
        error_text = run.stderr.decode("utf-8", "replace")
        killed = run.exit_code < 0 or run.exit_code >= _TIMED_OUT
        named = [item.path for item in change.files if item.new and item.path in error_text]
        if change.files and (killed or run.exit_code == _VIOLATIONS or named):
            path = named[0] if named else change.files[0].path
            message = f"no evidence: {tool.tool} was sound on the base and failed on the change: {error}"
            return (Finding(rule=LINTER, path=path, line=1, message=message, key=key(path, LINTER, "file")),)
        raise SuiteError(f"{tool.tool} failed: {error}") from error
