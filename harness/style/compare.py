"""New violations only: findings after minus findings before, as multisets of their keys.

A key is (path after renames, rule, symbol or stripped source line), so that a violation that only moved is not new.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from harness.evidence import Finding


SYNTAX = "syntax-error"


def key(path: str, rule: str, symbol: str) -> str:
    """The multiset key of a violation: independent of its line."""
    return f"{path}::{rule}::{symbol}"


def renamed(findings: Iterable[Finding], moved: dict[str, str]) -> tuple[Finding, ...]:
    """Findings of the base under the paths that their files have after the change."""
    return tuple(
        replace(finding, path=moved[finding.path], key=moved[finding.path] + finding.key.removeprefix(finding.path))
        if finding.path in moved
        else finding
        for finding in findings
    )


def compared(before: Iterable[Finding], after: Iterable[Finding]) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
    """The findings after that are new, and those that were there before; both in order of path, line and rule.

    Of equal keys the first ones by line count as the old ones.
    """
    there = Counter(finding.key for finding in before)
    new: list[Finding] = []
    existing: list[Finding] = []
    for finding in sorted(after, key=_place):
        there[finding.key] -= 1
        (new if there[finding.key] < 0 else existing).append(finding)
    return tuple(new), tuple(existing)


def _place(finding: Finding) -> tuple[str, int, str, str]:
    return finding.path, finding.line, finding.rule, finding.message
