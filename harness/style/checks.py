"""What a check is: strict parameters from a pack, and the sites where it finds its rule broken.

A `FileCheck` reads one file at a time, base and after alike; a `ChangeCheck` the change as a whole; a `CommitCheck` a message.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field

from harness.style.source import parsed
from harness.tree import difference

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from harness.style.source import Module
    from harness.tree import File, Tree

Renames = tuple[tuple[str, str], ...]
FILE = "file"  # the symbol of a rule that is about a file as a whole


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


class FileCheck(Check):
    """Reads one file under `paths`, base and after alike."""

    paths: tuple[str, ...] = Field(min_length=1)

    @abstractmethod
    def violations(self, file: File) -> Iterable[Site]:
        """Every place in the file where the rule is broken, old or new."""

    def chances(self, file: File) -> Iterable[str]:  # noqa: ARG002  (the file as such is one, whatever it holds)
        """Symbols of the places where the rule could be broken, kept or not: what a calibration divides by."""
        return (FILE,)


class SourceCheck(FileCheck):
    """Reads one Python file under `paths`; a file that cannot be parsed has neither violations nor chances."""

    paths: tuple[str, ...] = Field(default=("**/*.py",), min_length=1)

    @abstractmethod
    def sites(self, module: Module) -> Iterator[Site]:
        """Every place in the module where the rule is broken."""

    def places(self, module: Module) -> Iterable[str]:  # noqa: ARG002  (the module as such is one, whatever it holds)
        """Symbols of the places in the module where the rule could be broken."""
        return (FILE,)

    def violations(self, file: File) -> Iterable[Site]:
        """The sites of the file's module."""
        module = parsed(file.content)
        return self.sites(module) if module else ()

    def chances(self, file: File) -> Iterable[str]:
        """The places of the file's module."""
        module = parsed(file.content)
        return self.places(module) if module else ()


class ChangeCheck(Check):
    """Reads the change as a whole; whatever it finds is new."""

    @abstractmethod
    def sites(self, change: tuple[FileDelta, ...]) -> Iterator[Site]:
        """Every place in the change where the rule is broken, each with its path."""

    def chances(self, change: tuple[FileDelta, ...]) -> int:
        """How many places of the change the rule is about; a rule of the whole change is asked once a change."""
        return min(1, len(change))


class CommitCheck(Check):
    """Reads a commit's message. A change under trial has none."""

    @abstractmethod
    def sites(self, message: str) -> Iterator[Site]:
        """Every place in the message where the rule is broken; lines from 1."""
