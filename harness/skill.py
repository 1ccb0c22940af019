"""Skill and Variant: the prompt folder under improvement and one immutable version of it. Identity is the content hash."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from harness.tree import Tree

ENTRIES = ("SKILL.md", "AGENTS.md", "CLAUDE.md")


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    """A skill folder as values: its files, the name of the entry file, and name and description from the front matter."""

    name: str
    description: str
    entry: str
    tree: Tree

    @property
    def id(self) -> str:
        """Content hash of all files: 64 hex digits."""
        return self.tree.id

    @property
    def text(self) -> str:
        """The entry file, front matter included."""
        return self.tree.by_path[self.entry].text

    @property
    def body(self) -> str:
        """The entry file without its front matter."""
        return re.sub(r"\A---\n.*?\n---\n", "", self.text, count=1, flags=re.DOTALL)

    @property
    def normal(self) -> str:
        """All text with white space folded: two skills with one normal form are the same instructions."""
        return "\n".join(f"{path}: {' '.join(file.text.split())}" for path, file in self.tree)


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillEdit:
    """One exact replacement in one file of a skill; an empty `file` is the entry file."""

    find: str
    replace: str
    file: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """One version of the skill: how it was made from its parent, and why. A baseline at the start has no parent."""

    skill: Skill
    parent: str | None = None
    operator: str = "given"
    rationale: str = ""
    generation: int = 0

    @property
    def id(self) -> str:
        """The skill's content hash."""
        return self.skill.id
