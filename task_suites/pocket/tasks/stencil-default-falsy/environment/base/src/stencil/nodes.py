"""The parts of a parsed template; each knows how to render itself in a frame."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from stencil.errors import Position, TemplateError
from stencil.expressions import Expression
from stencil.frame import Frame
from stencil.markup import escape


class Node(Protocol):
    """A part of a template."""

    def render(self, frame: Frame) -> Iterator[str]:
        """Yield the output in pieces; may raise TemplateError."""
        ...


Body = tuple[Node, ...]


def render_body(body: Body, frame: Frame) -> Iterator[str]:
    """Yield the output of all nodes, one after the other."""
    for node in body:
        yield from node.render(frame)


@dataclass(frozen=True, slots=True)
class Text:
    """Text that stands for itself."""

    text: str

    def render(self, frame: Frame) -> Iterator[str]:
        """Yield the text."""
        yield self.text


@dataclass(frozen=True, slots=True)
class Output:
    """``{{ value }}``."""

    value: Expression

    def render(self, frame: Frame) -> Iterator[str]:
        """Yield the value as text, escaped if the frame asks for it; none is empty."""
        value = self.value.evaluate(frame)
        if value is not None:
            yield escape(value) if frame.autoescape else str(value)


@dataclass(frozen=True, slots=True)
class If:
    """``{% if %}`` with its branches; ``{% else %}`` is a branch whose condition is true."""

    branches: tuple[tuple[Expression, Body], ...]

    def render(self, frame: Frame) -> Iterator[str]:
        """Yield the first branch whose condition holds."""
        for condition, body in self.branches:
            if condition.evaluate(frame):
                yield from render_body(body, frame)
                return


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop:
    """What a loop tells its body under the name ``loop``; ``index`` counts from one."""

    index: int
    length: int

    @property
    def first(self) -> bool:
        """Whether this is the first round."""
        return self.index == 1

    @property
    def last(self) -> bool:
        """Whether this is the last round."""
        return self.index == self.length


@dataclass(frozen=True, slots=True)
class For:
    """``{% for name in values %}``; ``empty`` is rendered where there are no values."""

    name: str
    values: Expression
    body: Body
    empty: Body
    position: Position

    def render(self, frame: Frame) -> Iterator[str]:
        """Yield the body once for each value."""
        values = self.values.evaluate(frame)
        if not isinstance(values, Iterable):
            raise TemplateError(f"cannot loop over {values!r}", self.position)
        # A list, because the loop tells its length also where the values do not.
        items = list(values)
        for index, item in enumerate(items, start=1):
            loop = Loop(index=index, length=len(items))
            inner = frame.having({"loop": loop, self.name: item})
            yield from render_body(self.body, inner)
        if not items:
            yield from render_body(self.empty, frame)


@dataclass(frozen=True, slots=True)
class Include:
    """``{% include name %}``."""

    name: Expression
    position: Position

    def render(self, frame: Frame) -> Iterator[str]:
        """Yield the other template's output; it sees the variables in reach here."""
        name = str(self.name.evaluate(frame))
        template = frame.load(name, self.position)
        yield template(frame.including(name, self.position))
