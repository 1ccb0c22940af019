"""Checks on which paths a change touches."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pydantic import Field

from harness.style.checks import ChangeCheck, Site
from harness.tree import matches

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.style.checks import FileDelta

Pattern = re.Pattern[str]
Patterns = tuple[str, ...]


class NewFiles(ChangeCheck):
    """The whole path of every new file within `within` fits `pattern`."""

    within: Patterns = Field(min_length=1)
    pattern: Pattern

    def sites(self, change: tuple[FileDelta, ...]) -> Iterator[Site]:
        """One site per new file named otherwise."""
        for path in _new(change):
            if matches(path, self.within) and not self.pattern.fullmatch(path):
                yield Site(path=path, line=1, symbol="new file", message=f"is not named like {self.pattern.pattern}")

    def chances(self, change: tuple[FileDelta, ...]) -> int:
        """New files within."""
        return sum(matches(path, self.within) for path in _new(change))


class Forbidden(ChangeCheck):
    """No change touches `paths`."""

    paths: Patterns = Field(min_length=1)

    def sites(self, change: tuple[FileDelta, ...]) -> Iterator[Site]:
        """One site per touched file."""
        for file in change:
            if matches(file.path, self.paths) or matches(file.old_path, self.paths):
                yield Site(path=file.path, line=1, symbol="touched", message="no change may touch this file")


class AllowedRoots(ChangeCheck):
    """New files stand below one of `roots`, or are one of them."""

    roots: tuple[str, ...] = Field(min_length=1)

    def sites(self, change: tuple[FileDelta, ...]) -> Iterator[Site]:
        """One site per new file elsewhere."""
        below = tuple(f"{root.rstrip('/')}/" for root in self.roots)
        for path in _new(change):
            if path not in self.roots and not path.startswith(below):
                yield Site(path=path, line=1, symbol="new file", message=f"is outside {', '.join(self.roots)}")

    def chances(self, change: tuple[FileDelta, ...]) -> int:
        """New files."""
        return sum(1 for _ in _new(change))


def _new(change: tuple[FileDelta, ...]) -> Iterator[str]:
    return (file.path for file in change if file.created)


CHECKS: dict[str, type[ChangeCheck]] = {
    "new_files": NewFiles,
    "forbidden": Forbidden,
    "allowed_roots": AllowedRoots,
}
