"""Python source as the checks see it: definitions with their qualified names, calls with resolved names.

Owns parsing, once per content. What is a violation is the checks'.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from harness.python_source import syntax_tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Function = ast.FunctionDef | ast.AsyncFunctionDef
Documented = ast.Module | ast.ClassDef | Function


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """One function or class. `public` means reachable by a name without underscore; `within` is module, class or function."""

    name: str
    node: Function | ast.ClassDef
    public: bool
    within: str

    @property
    def overloading(self) -> bool:
        """Whether it is an `@overload` or the setter or deleter of a property: its text belongs to another definition."""
        names = [dotted(decorator) for decorator in self.node.decorator_list]
        return any(name.split(".")[-1] in {"overload", "setter", "deleter"} for name in names)


@dataclass(frozen=True, slots=True, kw_only=True)
class Module:
    """One parsed file. `nodes` are its calls, raises and imports in source order, each with the name of what holds it."""

    tree: ast.Module
    text: str
    definitions: tuple[Definition, ...]
    nodes: tuple[tuple[str, ast.AST], ...]
    imports: Mapping[str, str]

    def resolved(self, node: ast.AST) -> str:
        """The dotted name behind an expression, local aliases replaced by what was imported; empty for anything else."""
        head, *rest = dotted(node).split(".")
        return ".".join([self.imports.get(head, head), *rest])


@lru_cache(maxsize=1024)
def parsed(content: bytes) -> Module | None:
    """The file's module, or None where it cannot be parsed. Cached: base files come again with every trial of a task."""
    source = syntax_tree(content)
    if source is None:
        return None
    text, tree = source
    definitions, nodes = _walked(tree)
    return Module(tree=tree, text=text, definitions=definitions, nodes=nodes, imports=_imports(nodes))


def dotted(node: ast.AST) -> str:
    """`a.b.c` for an attribute chain on a name, the callee's for a call, empty for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute | ast.Call):
        if isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        else:
            node = node.func
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def _imports(nodes: Iterable[tuple[str, ast.AST]]) -> dict[str, str]:
    names: dict[str, str] = {}
    for _, node in nodes:
        if isinstance(node, ast.Import):
            names |= {alias.asname: alias.name for alias in node.names if alias.asname}
        elif isinstance(node, ast.ImportFrom):
            prefix = "." * node.level + (node.module or "")
            names |= {alias.asname or alias.name: f"{prefix}.{alias.name}" for alias in node.names}
    return names


def _walked(tree: ast.Module) -> tuple[tuple[Definition, ...], tuple[tuple[str, ast.AST], ...]]:
    """Depth first with a stack of our own: an `elif` chain of thousands must not exhaust the interpreter's."""
    definitions: list[Definition] = []
    nodes: list[tuple[str, ast.AST]] = []
    stack: list[tuple[ast.AST, str, bool, str]] = [(tree, "", True, "module")]
    while stack:
        node, scope, public, within = stack.pop()
        if isinstance(node, _DEFINITIONS):
            scope = f"{scope}.{node.name}".lstrip(".")
            public = public and within != "function" and not node.name.startswith("_")
            definitions.append(Definition(name=scope, node=node, public=public, within=within))
            within = "class" if isinstance(node, ast.ClassDef) else "function"
        elif isinstance(node, _COLLECTED):
            nodes.append((scope, node))
        stack += [(child, scope, public, within) for child in reversed(_children(node))]
    return tuple(definitions), tuple(nodes)


def _children(node: ast.AST) -> list[ast.AST]:
    """Child nodes that may hold something of interest: `ast.iter_child_nodes` without leaves takes a third of the time."""
    found: list[ast.AST] = []
    for field in node._fields:
        value = getattr(node, field, None)
        if isinstance(value, list):
            found += [item for item in value if isinstance(item, ast.AST) and not isinstance(item, _LEAVES)]
        elif isinstance(value, ast.AST) and not isinstance(value, _LEAVES):
            found.append(value)
    return found


_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_COLLECTED = (ast.Call, ast.Raise, ast.Import, ast.ImportFrom)
_LEAVES = (
    ast.Name,
    ast.Constant,
    ast.expr_context,
    ast.operator,
    ast.cmpop,
    ast.boolop,
    ast.unaryop,
    ast.Pass,
    ast.arg,
    ast.alias,
)
