"""Sentences of the page with their links and marks, as values: text from the ledger stays data until the template escapes it."""

from __future__ import annotations

from dataclasses import dataclass

from harness.printable import printable


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A piece of a sentence. `kind` is text, bold, code, quote, term (to a word of the glossary) or link (to `ref`)."""

    kind: str
    text: str
    ref: str = ""


Prose = tuple[Span, ...]


def text(value: str) -> Span:
    """Plain text."""
    return Span(kind="text", text=printable(value))


def bold(value: str) -> Span:
    """Bold text."""
    return Span(kind="bold", text=printable(value))


def code(value: str) -> Span:
    """Code, a name or an id."""
    return Span(kind="code", text=printable(value, lines=False))


def quote(value: str) -> Span:
    """Words that stand elsewhere."""
    return Span(kind="quote", text=printable(value))


def term(word: str, value: str) -> Span:
    """A word of the glossary, dotted, with its meaning as title."""
    return Span(kind="term", text=value, ref=word)


def link(place: str, value: str) -> Span:
    """A link to a part of this page."""
    return Span(kind="link", text=value, ref=place)
