"""What several checks ask of a module: its docstrings, its functions, its tests, and a site at a definition."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from harness.style.checks import Site
from harness.style.source import Function

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.style.source import Definition, Documented, Module


def at(definition: Definition, message: str) -> Site:
    """A site at a definition, worded after its name."""
    return Site(line=definition.node.lineno, symbol=definition.name, message=f"{definition.name} {message}")


def docstring(node: Documented) -> str:
    """A node's docstring as written, or empty."""
    return ast.get_docstring(node, clean=False) or ""


def docstrings(module: Module) -> Iterator[tuple[str, Documented, str]]:
    """Name, node and text of every docstring that holds a word."""
    for name, node in (("module", module.tree), *((item.name, item.node) for item in module.definitions)):
        if (text := docstring(node)).strip():
            yield name, node, text


def functions(module: Module) -> Iterator[str]:
    """Names of all functions."""
    return (item.name for item in module.definitions if isinstance(item.node, Function))


def tests(module: Module) -> Iterator[Definition]:
    """Functions that pytest would take for tests, those inside functions left out."""
    for definition in module.definitions:
        if isinstance(definition.node, Function) and definition.node.name.startswith("test") and definition.within != "function":
            yield definition
