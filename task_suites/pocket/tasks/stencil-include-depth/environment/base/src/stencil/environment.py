"""Environments: where templates come from, which filters they know, and how to render one."""

from collections.abc import Mapping
from functools import partial
from typing import Protocol

from stencil.errors import Position, UndefinedError
from stencil.filters import FILTERS, Filter
from stencil.frame import Frame, Rendering
from stencil.lexer import tokenize
from stencil.nodes import Body, render_body
from stencil.parser import parse


class Loader(Protocol):
    """Finds the source of a template."""

    def source(self, name: str) -> str:
        """Return the source; raise LookupError if there is no such template."""
        ...


class DictLoader:
    """Templates kept in a mapping of name to source."""

    def __init__(self, sources: Mapping[str, str]) -> None:
        self._sources = sources

    def source(self, name: str) -> str:
        """Return the source; raise KeyError if there is no such template."""
        return self._sources[name]


class Environment:
    """Renders templates, which are parsed once and kept."""

    def __init__(
        self,
        loader: Loader,
        *,
        autoescape: bool = True,
        filters: Mapping[str, Filter] | None = None,
    ) -> None:
        self._loader = loader
        self._autoescape = autoescape
        self._filters = {**FILTERS, **(filters or {})}
        self._parsed: dict[str, Body] = {}

    def render(self, name: str, variables: Mapping[str, object] | None = None) -> str:
        """Render the template called ``name``; ``variables`` is not changed.

        Raises TemplateError, whose ``position`` says where; LookupError if there is no
        such template.
        """
        frame = Frame(variables=variables or {}, autoescape=self._autoescape, load=self._included)
        return _render(self._body(name), frame)

    def _included(self, name: str, position: Position) -> Rendering:
        try:
            return partial(_render, self._body(name))
        except LookupError:
            raise UndefinedError(f"there is no template {name!r}", position) from None

    def _body(self, name: str) -> Body:
        if name not in self._parsed:
            tokens = tokenize(self._loader.source(name), name)
            self._parsed[name] = parse(tokens, self._filters)
        return self._parsed[name]


def _render(body: Body, frame: Frame) -> str:
    return "".join(render_body(body, frame))
