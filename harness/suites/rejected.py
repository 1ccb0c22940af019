"""Why a candidate is no task: a word to count by, one line for a person, and the log that shows it."""

from __future__ import annotations

from enum import StrEnum


class Reason(StrEnum):
    """The kinds of rejection."""

    NO_TESTS = "no tests"  # the commit changes no test module
    NO_SOURCE = "no source"  # it changes no source
    SIZE = "size"  # too few or too many source lines, or a tree too large to be sent
    SAME_CODE = "same code"  # comments, layout or a tool's version only
    INTERPRETER = "interpreter"
    ENVIRONMENT = "environment"
    NOT_TOLD_APART = "no fail-to-pass"
    UNSTABLE = "unstable"
    TIMEOUT = "timeout"
    TOO_MANY_TESTS = "too many tests"
    PRIVATE = "secret or private"
    FORM = "form"  # it cannot be written as a task folder and read back as it was
    ADMISSION = "admission"


class Rejected(Exception):  # noqa: N818  (an outcome of mining, not a fault)
    """A candidate that is no task."""

    def __init__(self, reason: Reason, detail: str, log: str = "") -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail
        self.log = log
