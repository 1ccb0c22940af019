"""A reserve: a second suite whose tasks wait to take the place of holdout tasks that have served long."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from harness.errors import SuiteError
from harness.task import Split

if TYPE_CHECKING:
    from harness.task import Suite


def with_reserve(suite: Suite, reserve: Suite) -> Suite:
    """The suite with all tasks of another as its reserve, whatever split they have there. Its hash stays as it is.

    Raises:
        SuiteError: a task's name stands in both, or the reserve needs a tool version or rule pack that the suite has not.
    """
    both = sorted(suite.by_id.keys() & reserve.by_id.keys())
    if both:
        raise SuiteError(f"task {both[0]} stands in suite {suite.id} and in its reserve {reserve.id}; rename or remove one")
    for what, own, others in (("tool", suite.tools, reserve.tools), ("rule pack", suite.packs, reserve.packs)):
        foreign = sorted(name for name, content in others if dict(own).get(name) != content)
        if foreign:
            raise SuiteError(
                f"reserve {reserve.id}: its {what} {foreign[0]} is not that of suite {suite.id}, so verdicts would not compare"
            )
    if reserve.npm_lock not in {"", suite.npm_lock}:
        raise SuiteError(f"reserve {reserve.id}: its package-lock.json is not that of suite {suite.id}; keep one of them in both")
    waiting = tuple(replace(task, split=Split.RESERVE) for task in reserve.tasks)
    return replace(suite, tasks=suite.tasks + waiting, private=suite.private or reserve.private)
