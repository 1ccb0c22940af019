"""Checks on what a change adds: companions of a change, wording of added lines, size. They read the agent's own change."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pydantic import Field, NonNegativeInt

from harness.style.checks import ChangeCheck, Site
from harness.tree import matches

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.style.checks import FileDelta

Pattern = re.Pattern[str]
Patterns = tuple[str, ...]


class Companion(ChangeCheck):
    """Where a path matching `when` changes, a path matching `changed` gains at least one line that is not blank."""

    when: Patterns = Field(min_length=1)
    changed: Patterns = Field(min_length=1)

    def sites(self, change: tuple[FileDelta, ...]) -> Iterator[Site]:
        """At most one site, at the first path that asks for the companion."""
        asking = [file.path for file in change if matches(file.path, self.when)]
        companions = (file for file in change if matches(file.path, self.changed))
        if asking and not any(line.strip() for file in companions for _, line in file.added()):
            wanted = " or ".join(self.changed)
            yield Site(path=asking[0], line=1, symbol="companion", message=f"changed without a line added to {wanted}")

    def chances(self, change: tuple[FileDelta, ...]) -> int:
        """One where a path asks for a companion."""
        return int(any(matches(file.path, self.when) for file in change))


class AddedLinesForbidden(ChangeCheck):
    """No added line in `paths` contains `pattern`."""

    paths: Patterns = Field(min_length=1)
    pattern: Pattern

    def sites(self, change: tuple[FileDelta, ...]) -> Iterator[Site]:
        """One site per such line."""
        for path, number, line in _added(change, self.paths):
            if self.pattern.search(line):
                message = f"adds a line that fits {self.pattern.pattern}"
                yield Site(path=path, line=number, symbol=line.strip(), message=message)

    def chances(self, change: tuple[FileDelta, ...]) -> int:
        """Files in `paths`: every line would make any ban look kept."""
        return sum(matches(file.path, self.paths) for file in change if file.new)


class AddedLinesRequired(ChangeCheck):
    """Every added line in `paths` that is not blank fits `pattern`."""

    paths: Patterns = Field(min_length=1)
    pattern: Pattern

    def sites(self, change: tuple[FileDelta, ...]) -> Iterator[Site]:
        """One site per line that does not."""
        for path, number, line in _added(change, self.paths):
            if line.strip() and not self.pattern.search(line):
                message = f"adds a line that does not fit {self.pattern.pattern}"
                yield Site(path=path, line=number, symbol=line.strip(), message=message)

    def chances(self, change: tuple[FileDelta, ...]) -> int:
        """Added lines that are not blank."""
        return sum(bool(line.strip()) for _, _, line in _added(change, self.paths))


class MaxAddedLines(ChangeCheck):
    """At most `max` lines are added to `paths`, all together."""

    paths: Patterns = Field(min_length=1)
    max: NonNegativeInt

    def sites(self, change: tuple[FileDelta, ...]) -> Iterator[Site]:
        """At most one site, at the first path that grew."""
        grown = [path for path, _, _ in _added(change, self.paths)]
        if len(grown) > self.max:
            message = f"adds {len(grown)} lines to {', '.join(self.paths)}, more than {self.max}"
            yield Site(path=grown[0], line=1, symbol="max_added_lines", message=message)

    def chances(self, change: tuple[FileDelta, ...]) -> int:
        """One where a file in `paths` changes."""
        return int(any(matches(file.path, self.paths) for file in change))


def _added(change: tuple[FileDelta, ...], paths: Patterns) -> Iterator[tuple[str, int, str]]:
    for file in change:
        if matches(file.path, paths):
            yield from ((file.path, number, line) for number, line in file.added())


CHECKS: dict[str, type[ChangeCheck]] = {
    "companion": Companion,
    "added_lines.forbidden": AddedLinesForbidden,
    "added_lines.required": AddedLinesRequired,
    "max_added_lines": MaxAddedLines,
}
