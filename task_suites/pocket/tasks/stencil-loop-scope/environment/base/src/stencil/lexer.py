"""Cuts a template's source into text, ``{{ output }}`` and ``{% tag %}`` tokens."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from stencil.errors import Position, TemplateSyntaxError

Kind = Literal["text", "output", "tag"]

_OPENING = re.compile(r"(?P<mark>\{[{%#])(?P<trim>-?)")
_CLOSING = {"{{": "}}", "{%": "%}", "{#": "#}"}
_KINDS: dict[str, Kind] = {"{{": "output", "{%": "tag"}


@dataclass(frozen=True, slots=True)
class Token:
    """One piece of a template: its kind, what stands in it, and where it begins."""

    kind: Kind
    content: str
    position: Position

    @property
    def word(self) -> str:
        """The first word of a tag, empty for other kinds."""
        return self.content.split(maxsplit=1)[0] if self.kind == "tag" and self.content else ""


def tokenize(source: str, name: str) -> Iterator[Token]:
    """Yield the tokens of ``source``; comments, ``{# #}``, are left out.

    A hyphen just inside a delimiter takes away the white space just outside of it. Raises
    TemplateSyntaxError for a delimiter that is never closed.
    """
    place, trim_left = 0, False
    while (opening := _OPENING.search(source, place)) is not None:
        text, start = source[place : opening.start()], _position(source, place, name)
        yield from _text(text, start, left=trim_left, right=bool(opening["trim"]))
        mark, position = opening["mark"], _position(source, opening.start(), name)
        end = source.find(_CLOSING[mark], opening.end())
        if end < 0:
            raise TemplateSyntaxError(f"{mark!r} is never closed", position)
        content = source[opening.end() : end]
        trim_left = content.endswith("-")
        if mark in _KINDS:
            yield Token(_KINDS[mark], content.removesuffix("-").strip(), position)
        place = end + len(_CLOSING[mark])
    yield from _text(source[place:], _position(source, place, name), left=trim_left)


def _text(
    text: str, position: Position, *, left: bool = False, right: bool = False
) -> Iterator[Token]:
    text = text.lstrip() if left else text
    text = text.rstrip() if right else text
    if text:
        yield Token("text", text, position)


def _position(source: str, place: int, name: str) -> Position:
    # Not splitlines(): it also breaks at form feeds and the like, which editors do not count.
    line = source.count("\n", 0, place) + 1
    column = place - source.rfind("\n", 0, place)
    return Position(name, line, column)
