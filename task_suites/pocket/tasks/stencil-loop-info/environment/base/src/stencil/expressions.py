"""Expressions: literals and dotted names, filters on them, and conditions.

A value is an operand, then any number of ``|filter`` or ``|filter(value, ...)``. A condition is
a value, two of them with ``==`` or ``!=`` in between, or ``not`` and a condition.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from stencil.errors import Position, TemplateError, TemplateSyntaxError, UndefinedError
from stencil.filters import Filter
from stencil.frame import Frame

_WORD = re.compile(
    r"""\s*(?P<word>
        "[^"]*" | '[^']*'                # strings
      | \d+(?:\.\d+)?                    # numbers
      | [A-Za-z_]\w*(?:\.\w+)*           # dotted names
      | == | != | [|(),]
    )\s*""",
    re.VERBOSE,
)
_CONSTANTS = {"true": True, "false": False, "none": None}


class Expression(Protocol):
    """Something that has a value in a frame."""

    def evaluate(self, frame: Frame) -> object:
        """Return the value; may raise TemplateError."""
        ...


@dataclass(frozen=True, slots=True)
class Literal:
    """A string, a number, true, false or none."""

    value: object

    def evaluate(self, frame: Frame) -> object:
        """Return the value as it was written."""
        return self.value


@dataclass(frozen=True, slots=True)
class Name:
    """A dotted name; each part after the first is a key, an index or an attribute."""

    path: str
    position: Position

    def evaluate(self, frame: Frame) -> object:
        """Look the name up; raise UndefinedError where a part does not exist."""
        value: object = frame.variables
        for part in self.path.split("."):
            try:
                value = _member(value, part)
            except LookupError:
                raise UndefinedError(f"{self.path!r} is undefined", self.position) from None
        return value


@dataclass(frozen=True, slots=True)
class Filtered:
    """An operand passed through a filter."""

    operand: Expression
    name: str
    function: Filter
    arguments: tuple[Expression, ...]
    position: Position

    def evaluate(self, frame: Frame) -> object:
        """Return what the filter makes of the operand."""
        try:
            operand = self.operand.evaluate(frame)
        except UndefinedError:
            # The one filter whose business is what does not exist.
            if self.name != "default":
                raise
            operand = None
        arguments = [argument.evaluate(frame) for argument in self.arguments]
        try:
            return self.function(operand, *arguments)
        except (TypeError, ValueError) as error:
            raise TemplateError(f"filter {self.name!r}: {error}", self.position) from error


@dataclass(frozen=True, slots=True)
class Equal:
    """Two operands that are compared."""

    left: Expression
    right: Expression

    def evaluate(self, frame: Frame) -> object:
        """Return whether both have the same value."""
        return self.left.evaluate(frame) == self.right.evaluate(frame)


@dataclass(frozen=True, slots=True)
class Not:
    """The opposite of an operand."""

    operand: Expression

    def evaluate(self, frame: Frame) -> object:
        """Return whether the operand is empty, zero, false or none."""
        return not self.operand.evaluate(frame)


class Reader:
    """Reads the expressions of one tag, word by word; errors point at the tag."""

    def __init__(self, source: str, position: Position, filters: Mapping[str, Filter]) -> None:
        self._position = position
        self._filters = filters
        self._words = [*_words(source, position), ""]

    def next(self) -> str:
        """Take the next word; empty at the end."""
        return self._words.pop(0) if len(self._words) > 1 else ""

    def skip(self, word: str) -> bool:
        """Take the next word if it is ``word``, and say whether it was."""
        return self._words[0] == word and self.next() == word

    def end(self) -> None:
        """Raise TemplateSyntaxError if words are left."""
        if self._words[0]:
            raise self._error(f"unexpected {self._words[0]!r}")

    def condition(self) -> Expression:
        """Read a condition."""
        if self.skip("not"):
            return Not(self.condition())
        left = self.value()
        if self.skip("=="):
            return Equal(left, self.value())
        if self.skip("!="):
            return Not(Equal(left, self.value()))
        return left

    def value(self) -> Expression:
        """Read an operand and its filters."""
        value = self._operand()
        while self.skip("|"):
            name = self.next()
            if name not in self._filters:
                raise UndefinedError(f"no filter is named {name!r}", self._position)
            arguments = tuple(self._arguments())
            value = Filtered(value, name, self._filters[name], arguments, self._position)
        return value

    def _arguments(self) -> Iterator[Expression]:
        if not self.skip("("):
            return
        yield self.value()
        while not self.skip(")"):
            if not self.skip(","):
                raise self._error("expected ',' or ')' after an argument")
            yield self.value()

    def _operand(self) -> Expression:
        word = self.next()
        if word[:1] in ("'", '"'):
            return Literal(word[1:-1])
        if word[:1].isdigit():
            return Literal(float(word) if "." in word else int(word))
        if not word.replace(".", "_").isidentifier():
            raise self._error(f"expected a value, found {word!r}")
        return Literal(_CONSTANTS[word]) if word in _CONSTANTS else Name(word, self._position)

    def _error(self, message: str) -> TemplateSyntaxError:
        return TemplateSyntaxError(message, self._position)


def _words(source: str, position: Position) -> Iterator[str]:
    place = 0
    while place < len(source):
        match = _WORD.match(source, place)
        if match is None:
            raise TemplateSyntaxError(f"cannot read {source[place:]!r}", position)
        yield match["word"]
        place = match.end()


def _member(value: object, part: str) -> object:
    if isinstance(value, Mapping):
        return value[part]
    if part.isdigit() and isinstance(value, list | tuple):
        return value[int(part)]
    if part.startswith("_") or not hasattr(value, part):
        raise LookupError(part)
    return getattr(value, part)
