"""The one function for a count with its noun, in every sentence that is printed."""

from __future__ import annotations


def counted(number: int, noun: str, plural: str = "") -> str:
    """A count with its noun: "1 task", "1,024 tasks"; `plural` is given where it is not the noun with an s."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
