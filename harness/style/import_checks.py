"""Checks on imports: which, where, and in which form."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from harness.style.checks import Site, SourceCheck
from harness.style.definitions import docstring
from harness.style.source import Function

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from harness.style.source import Module


class ImportsBanned(SourceCheck):
    """Nobody imports these modules, their submodules or these names of a module."""

    names: tuple[str, ...] = Field(min_length=1)

    def sites(self, module: Module) -> Iterator[Site]:
        """One site per imported name."""
        for scope, node in module.nodes:
            if isinstance(node, ast.Import | ast.ImportFrom):
                for name in _imported(node):
                    if any(name == ban or name.startswith(f"{ban}.") for ban in self.names):
                        yield Site(line=node.lineno, symbol=f"{scope}:{name}", message=f"imports {name}")


class ImportsForm(SourceCheck):
    """Imports of these modules are written in one form: `import m` (module), or `from m import name` (names)."""

    modules: tuple[str, ...] = Field(min_length=1)
    form: Literal["module", "names"]

    def sites(self, module: Module) -> Iterator[Site]:
        """One site per import in the other form."""
        for scope, node in module.nodes:
            found = _in_form(node, "names" if self.form == "module" else "module")
            for name in sorted(found & set(self.modules)):
                wanted = f"import {name}" if self.form == "module" else f"from {name} import ..."
                yield Site(line=getattr(node, "lineno", 1), symbol=f"{scope}:{name}", message=f"is not written as {wanted}")

    def places(self, module: Module) -> Iterable[str]:
        """Every import of these modules."""
        both = ((scope, _in_form(node, "module") | _in_form(node, "names")) for scope, node in module.nodes)
        return (f"{scope}:{name}" for scope, found in both for name in sorted(found & set(self.modules)))


class ImportsRequired(SourceCheck):
    """Every module with a statement besides its docstring imports these, as in `from __future__ import annotations`."""

    names: tuple[str, ...] = Field(min_length=1)

    def sites(self, module: Module) -> Iterator[Site]:
        """One site per missing name."""
        there = set(_imports(module))
        if len(module.tree.body) > bool(docstring(module.tree)):
            for name in self.names:
                if name not in there:
                    yield Site(line=1, symbol=name, message=f"does not import {name}")


class ImportsTopLevel(SourceCheck):
    """Imports stand at the top level of the module, not inside functions."""

    def sites(self, module: Module) -> Iterator[Site]:
        """One site per import inside a function."""
        functions = {item.name for item in module.definitions if isinstance(item.node, Function)}
        for scope, node in module.nodes:
            if isinstance(node, ast.Import | ast.ImportFrom) and scope in functions:
                names = ", ".join(_imported(node))
                yield Site(line=node.lineno, symbol=f"{scope}:{names}", message=f"imports {names} inside {scope}")

    def places(self, module: Module) -> Iterable[str]:
        """Every import."""
        return _imports(module)


def _imports(module: Module) -> Iterator[str]:
    for _, node in module.nodes:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from _imported(node)


def _imported(node: ast.Import | ast.ImportFrom) -> tuple[str, ...]:
    if isinstance(node, ast.Import):
        return tuple(alias.name for alias in node.names)
    prefix = "." * node.level + (node.module or "")
    return tuple(f"{prefix}.{alias.name}" for alias in node.names)


def _in_form(node: ast.AST, form: str) -> set[str]:
    """The modules that an import statement imports in the form."""
    if isinstance(node, ast.Import) and form == "module":
        return {alias.name for alias in node.names}
    if isinstance(node, ast.ImportFrom) and form == "names":
        return {"." * node.level + (node.module or "")}
    return set()


CHECKS: dict[str, type[SourceCheck]] = {
    "imports.banned": ImportsBanned,
    "imports.form": ImportsForm,
    "imports.required": ImportsRequired,
    "imports.top_level": ImportsTopLevel,
}
