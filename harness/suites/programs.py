"""What a change of Python files comes to as programs, told by their syntax alone: a new version or tidied imports are nothing."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from harness.python_source import syntax_tree

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.tree import FileChange

_VERSIONS = frozenset({"__version__", "__version_info__", "VERSION"})  # of a module


def same_program(change: FileChange) -> bool:
    """Whether both sides do the same: comments, layout, docstrings, the order of imports and the version do not count."""
    if change.old is None or change.new is None:
        return False
    old, new = _units(change.old.content), _units(change.new.content)
    return old is not None and old == new


def tells_nothing_new(change: FileChange) -> bool:
    """Whether test code is taken away at most: no function, and no statement outside functions, is there that was not before.

    A function that only loses a statement is a new one: what it loses may be what made it pass or be skipped.
    """
    if change.new is None:
        return True
    old = _units(change.old.content) if change.old else []
    new = _units(change.new.content)
    return old is not None and new is not None and set(new) <= set(old)


def _units(content: bytes) -> list[str] | None:
    """A file's functions, and statements outside functions, each with the classes that it lies in; None where it is no Python."""
    read = syntax_tree(content)
    return list(_inside(read[1], "")) if read else None


def _inside(owner: ast.Module | ast.ClassDef, place: str) -> Iterator[str]:
    nothing = _is_docstring if place else lambda node: _is_docstring(node) or _is_version(node)
    statements = [node for node in owner.body if not nothing(node)]
    imports = [node for node in statements if isinstance(node, ast.Import | ast.ImportFrom)]
    yield from sorted(f"{place}{line}" for node in imports for line in _imported(node))
    for node in statements:
        if isinstance(node, ast.ClassDef):
            head = ast.dump(ast.ClassDef(node.name, node.bases, node.keywords, [], node.decorator_list))
            yield f"{place}{head}"
            yield from _inside(node, f"{place}{head} ")
        elif not isinstance(node, ast.Import | ast.ImportFrom):
            yield f"{place}{ast.dump(_bare(node))}"


def _imported(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    """One line for each name that is imported."""
    origin = f"{'.' * node.level}{node.module or ''}" if isinstance(node, ast.ImportFrom) else ""
    return (f"{origin} {name.name} {name.asname or ''}" for name in node.names)


def _bare(statement: ast.stmt) -> ast.stmt:
    """The statement without docstrings."""
    for node in ast.walk(statement):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            node.body = [inner for place, inner in enumerate(node.body) if place or not _is_docstring(inner)]
    return statement


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _is_version(node: ast.stmt) -> bool:
    """Whether a statement gives the version as a literal."""
    if not isinstance(node, ast.Assign | ast.AnnAssign) or not isinstance(node.value, ast.Constant | ast.Tuple):
        return False
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return all(isinstance(target, ast.Name) and target.id in _VERSIONS for target in targets)
