"""A labelled change: one whose right answer is known, by its making or by a person. What calibration and canaries ask about."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from harness.rollout import Change
from harness.tree import difference

if TYPE_CHECKING:
    from harness.task import Task
    from harness.tree import Tree

GOOD = "good"
KINDS = ("behaviour", "security", "scope", "debris")  # of faults; a persona's `calibrate_on` names those that it must catch


@dataclass(frozen=True, kw_only=True)
class Labelled:
    """A task with a tree that answers it. `kind` is GOOD or what is wrong with it, `source` who says so."""

    task: Task
    after: Tree
    kind: str
    source: str

    @property
    def good(self) -> bool:
        """Whether reviewers should approve."""
        return self.kind == GOOD

    @cached_property
    def change(self) -> Change:
        """The change from the task's base."""
        return Change(files=difference(self.task.base, self.after), patch=b"")

    @cached_property
    def id(self) -> str:
        """Content hash over the task's statement and both trees, whoever labelled it and how: 16 hex digits."""
        parts = (self.task.instruction, self.task.base.id, self.after.id)
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
