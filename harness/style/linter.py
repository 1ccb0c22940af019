"""Linter and formatter, base against after, and whose fault it is when a run of theirs cannot be used.

Both runs on the untouched base must be sound before a change can be charged with anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.errors import SuiteError
from harness.evidence import Finding
from harness.style.compare import SYNTAX, compared, key, renamed
from harness.style.ruff import UnreadableError, check_findings, format_findings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from harness.ports import LintRun, ToolRun
    from harness.rollout import Change
    from harness.tree import Tree

LINTER = "linter"
_BROKEN = frozenset({LINTER, SYNTAX, "E902"})
_VIOLATIONS = 1  # ruff's exit code for "found some"
_TIMED_OUT = 124  # as by timeout(1); above it, a signal

Read = tuple[tuple[Finding, ...], tuple[Finding, ...]]


def linter_findings(lint: LintRun, base: Tree, after: Tree, change: Change) -> Read:
    """New and old findings of linter and formatter, together.

    Raises:
        SuiteError: a run on the base is not sound, or one on the change fails for no reason that lies in the change.
    """
    before = (*_sound(check_findings, lint.base_check, base, "check"), *_sound(format_findings, lint.base_format, base, "format"))
    now = (
        *_charged(check_findings, lint.after_check, after, change),
        *_charged(format_findings, lint.after_format, after, change),
    )
    return compared(renamed(before, dict(change.renames)), _once(now))


def _once(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Linter and formatter stumble over the same broken file; that is one violation."""
    seen: set[str] = set()
    for finding in findings:
        if finding.rule not in _BROKEN or finding.key not in seen:
            yield finding
        seen.add(finding.key)


def _sound(read: Callable[[ToolRun, Tree], tuple[Finding, ...]], run: ToolRun, tree: Tree, what: str) -> tuple[Finding, ...]:
    try:
        return read(run, tree)
    except UnreadableError as error:
        raise SuiteError(f"ruff {what} cannot be used on the untouched base: {error}") from error


def _charged(
    read: Callable[[ToolRun, Tree], tuple[Finding, ...]], run: ToolRun, tree: Tree, change: Change
) -> tuple[Finding, ...]:
    """The same, of a tool that was sound on the base a moment ago.

    A change that makes it die, drown or stumble over its files is charged: were that our fault, any change could take itself
    out of the count. All else is our fault.
    """
    try:
        return read(run, tree)
    except UnreadableError as error:
        error_text = run.stderr.decode("utf-8", "replace")
        killed = run.exit_code < 0 or run.exit_code >= _TIMED_OUT
        named = [item.path for item in change.files if item.new and item.path in error_text]
        if killed or run.exit_code == _VIOLATIONS or named:
            path = named[0] if named else change.files[0].path
            message = f"no evidence: ruff was sound on the base and failed on the change: {error}"
            return (Finding(rule=LINTER, path=path, line=1, message=message, key=key(path, LINTER, "file")),)
        raise SuiteError(f"ruff failed: {error}") from error
