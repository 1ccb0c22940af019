"""Checks on the text of one file in any language: lines, and what a file as a whole must hold. Binary files have neither."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pydantic import Field

from harness.style.checks import FILE, FileCheck, Site

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.tree import File

Pattern = re.Pattern[str]


class LinesForbidden(FileCheck):
    """No line contains `pattern`."""

    pattern: Pattern

    def violations(self, file: File) -> Iterator[Site]:
        """One site per such line."""
        for number, line in _lines(file):
            if self.pattern.search(line):
                yield Site(line=number, symbol=line.strip(), message=f"this line fits {self.pattern.pattern}")


class LinesMaxLength(FileCheck):
    """No line is longer than `max` characters; one that is a single word, such as an address, is excused."""

    max: int = Field(gt=0)

    def violations(self, file: File) -> Iterator[Site]:
        """One site per longer line."""
        for number, line in _lines(file):
            if len(line) > self.max and len(line.split()) > 1:
                message = f"has {len(line)} characters, more than {self.max}"
                yield Site(line=number, symbol=line.strip(), message=message)


class FileRequired(FileCheck):
    """Every file that is not empty contains `pattern` somewhere, as a licence header."""

    pattern: Pattern

    def violations(self, file: File) -> Iterator[Site]:
        """At most one site."""
        text = "\n".join(line for _, line in _lines(file))
        if text.strip() and not self.pattern.search(text):
            yield Site(line=1, symbol=FILE, message=f"nothing in this file fits {self.pattern.pattern}")


class FileFinalNewline(FileCheck):
    """Every file that is not empty ends with one line end."""

    def violations(self, file: File) -> Iterator[Site]:
        """At most one site."""
        text = file.text
        if b"\0" not in file.content and text and (not text.endswith("\n") or text.endswith(("\n\n", "\n\r\n"))):
            yield Site(line=text.count("\n") + 1, symbol=FILE, message="does not end with one line end")


def _lines(file: File) -> Iterator[tuple[int, str]]:
    if b"\0" not in file.content:
        yield from enumerate(file.text.splitlines(), start=1)


CHECKS: dict[str, type[FileCheck]] = {
    "lines.forbidden": LinesForbidden,
    "lines.max_length": LinesMaxLength,
    "file.required": FileRequired,
    "file.final_newline": FileFinalNewline,
}
