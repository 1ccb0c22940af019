from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harness.delivery import deliver
from harness.ports import Assignment, Limits
from harness.skill import Skill, Variant
from harness.testing import LocalWorkspace
from harness.tree import Tree
from harness.tree_io import write_tree
from harness.trial import Arm, Stage, TrialKey

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from harness.task import Task


@pytest.fixture
def workspace(tmp_path: Path, task: Task) -> LocalWorkspace:
    """The task's base in a folder."""
    for name in ("project", "scratch"):
        (tmp_path / name).mkdir()
    write_tree(tmp_path / "project", task.base)
    return LocalWorkspace(tmp_path / "project", tmp_path / "scratch")


@pytest.fixture
def assign(task: Task, workspace: LocalWorkspace) -> Callable[..., Assignment]:
    """Makes a work order: delivery mode and limits; what is delivered lies in the workspace."""

    def make(mode: str = "system", *, body: str = "Look first.", limits: Limits | None = None) -> Assignment:
        entry = f"---\nname: coding\ndescription: How we work.\n---\n\n# Coding\n\n{body}\n"
        skill = Skill(name="coding", description="How we work.", entry="SKILL.md", tree=Tree.of({"SKILL.md": entry}))
        variant = Variant(skill=skill)
        delivered = deliver(variant, mode)
        write_tree(workspace.folder, delivered.inject)
        key = TrialKey(stage=Stage.ADHOC, confirmation="", arm=Arm.VARIANT, variant=variant.id, task=task.id, repeat=1)
        return Assignment(key=key, task=task, variant=variant, delivered=delivered, limits=limits or Limits())

    return make
