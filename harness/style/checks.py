"""What a check is: strict parameters from a pack, and the sites where it finds its rule broken.

A `SourceCheck` reads one Python file at a time, base and after alike; a `ChangeCheck` reads the change as a whole.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field

from harness.tree import difference

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.style.source import Module
    from harness.tree import File, Tree

Renames = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """One place where a rule is broken. `symbol` names it independently of its line; `path` is set by change checks only."""

    line: int
    symbol: str
    message: str
    path: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileDelta:
    """One file of the change under its new path, with what it was before renames; None where there is no file."""

    path: str
    old_path: str
    old: File | None
    new: File | None

    @property
    def created(self) -> bool:
        """Whether its path is new: a file that was moved stands at a new path too."""
        return self.new is not None and (self.old is None or self.old_path != self.path)

    def added(self) -> Iterator[tuple[int, str]]:
        """Lines of the new text beyond those of the old one, as a multiset: a line that moved was not added.

        Linear in the text's length, so that no change, however hostile, can make it slow.
        """
        if self.new is None or b"\0" in self.new.content:
            return
        there = Counter(self.old.text.splitlines() if self.old else ())
        for number, line in enumerate(self.new.text.splitlines(), start=1):
            there[line] -= 1
            if there[line] < 0:
                yield number, line


def deltas(base: Tree, after: Tree, renames: Renames = ()) -> tuple[FileDelta, ...]:
    """Every file that differs, a renamed one once, under its new path, with its old content."""
    moved = {new: old for old, new in renames if after.get(new) and base.get(old) and not (after.get(old) or base.get(new))}
    gone = set(moved.values())
    paths = ((moved.get(change.path, change.path), change) for change in difference(base, after) if change.path not in gone)
    return tuple(FileDelta(path=item.path, old_path=old, old=base.get(old), new=item.new) for old, item in paths)


class Check(BaseModel):
    """A check's parameters as they stand in a pack. Unknown names are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class SourceCheck(Check):
    """Reads one Python file under `paths`."""

    paths: tuple[str, ...] = Field(default=("**/*.py",), min_length=1)

    @abstractmethod
    def sites(self, module: Module) -> Iterator[Site]:
        """Every place in the file where the rule is broken, old or new."""


class ChangeCheck(Check):
    """Reads the change as a whole; whatever it finds is new."""

    @abstractmethod
    def sites(self, change: tuple[FileDelta, ...]) -> Iterator[Site]:
        """Every place in the change where the rule is broken, each with its path."""
