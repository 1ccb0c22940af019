"""Checks on a commit's message: subject, body and trailers. Merge commits and reverts that git words itself are excused."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pydantic import Field, PositiveInt

from harness.style.checks import CommitCheck, Site

if TYPE_CHECKING:
    from collections.abc import Iterator

Pattern = re.Pattern[str]
_BY_GIT = re.compile(r"(?:Merge (?:branch|pull request|remote-tracking branch|tag)|Revert \")")


class SubjectMaxLength(CommitCheck):
    """The first line has at most `max` characters."""

    max: PositiveInt

    def sites(self, message: str) -> Iterator[Site]:
        """At most one site."""
        subject = _subject(message)
        if len(subject) > self.max:
            yield Site(line=1, symbol=subject, message=f"the subject has {len(subject)} characters, more than {self.max}")


class SubjectPattern(CommitCheck):
    """The pattern is found in the first line."""

    pattern: Pattern

    def sites(self, message: str) -> Iterator[Site]:
        """At most one site."""
        subject = _subject(message)
        if subject and not self.pattern.search(subject):
            yield Site(line=1, symbol=subject, message=f"the subject does not fit {self.pattern.pattern}")


class MessageForbidden(CommitCheck):
    """No line of the message contains `pattern`."""

    pattern: Pattern

    def sites(self, message: str) -> Iterator[Site]:
        """One site per line."""
        for number, line in enumerate(message.splitlines(), start=1):
            if self.pattern.search(line):
                yield Site(line=number, symbol=line, message=f"this line of the message fits {self.pattern.pattern}")


class BodyRequired(CommitCheck):
    """A body follows the subject, after a blank line."""

    def sites(self, message: str) -> Iterator[Site]:
        """At most one site."""
        lines = message.strip().splitlines()
        if _subject(message) and (len(lines) < 3 or lines[1].strip()):  # noqa: PLR2004  (subject, blank line, body)
            yield Site(line=1, symbol="body", message="no body follows the subject after a blank line")


class TrailerRequired(CommitCheck):
    """A line `name: ...` stands in the message, such as Signed-off-by."""

    name: str = Field(pattern=r"^[A-Za-z][A-Za-z-]*$")

    def sites(self, message: str) -> Iterator[Site]:
        """At most one site."""
        if _subject(message) and not re.search(rf"^{self.name}: \S", message, re.MULTILINE | re.IGNORECASE):
            yield Site(line=1, symbol=self.name, message=f"the message has no {self.name} line")


def _subject(message: str) -> str:
    """The first line, or empty for what git worded itself."""
    first = message.strip().partition("\n")[0].rstrip()
    return "" if _BY_GIT.match(first) else first


CHECKS: dict[str, type[CommitCheck]] = {
    "subject.max_length": SubjectMaxLength,
    "subject.pattern": SubjectPattern,
    "message.forbidden": MessageForbidden,
    "body.required": BodyRequired,
    "trailer.required": TrailerRequired,
}
