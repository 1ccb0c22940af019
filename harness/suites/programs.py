"""What a change of Python files comes to as programs, told by their syntax alone: a new version or tidied imports are nothing."""

from __future__ import annotations

import ast
import sys
from itertools import groupby
from typing import TYPE_CHECKING

from harness.python_source import syntax_tree

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.tree import File, FileChange

_TOO_MUCH = (RecursionError, ValueError)  # of a tree that is too deep, or a number too long, to be written out
_VERSIONS = frozenset({"__version__", "__version_info__"})  # of a module


def same_program(change: FileChange) -> bool:
    """Whether both sides do the same: comments, layout, docstrings, the version, the order of standard imports do not count."""
    old, new = (_read(side) for side in (change.old, change.new))
    try:
        return old is not None and new is not None and list(_program(old)) == list(_program(new))
    except _TOO_MUCH:
        return False


def declares_alone(change: FileChange) -> bool:
    """Whether both sides define nothing, as a module does that a tool writes the version into."""
    sides = [_read(side) for side in (change.old, change.new) if side]
    defining = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    return all(side is not None and not any(isinstance(node, defining) for node in ast.walk(side)) for side in sides)


def loses_tests_alone(change: FileChange) -> bool:
    """Whether a test module is the same program, but for whole tests that it has no more.

    Anything else that is lost may be what made tests pass or be skipped: a statement, an import, a fixture, a mark, a helper.
    """
    old, new = (_read(side) for side in (change.old, change.new))
    try:
        return old is not None and new is not None and _is_part(list(_tests(new)), list(_tests(old)))
    except _TOO_MUCH:
        return False


def _read(file: File | None) -> ast.Module | None:
    read = syntax_tree(file.content) if file else None
    return read[1] if read else None


def _program(module: ast.Module) -> Iterator[str]:
    """A module's statements, imports in a block by what they import."""
    for imports, block in groupby(module.body, _is_import):
        nodes = [node for node in block if not _is_docstring(node)]
        yield from _imported(nodes) if imports else map(_dumped, nodes)


def _imported(block: list[ast.stmt]) -> list[str]:
    """One line for each name, those of the standard library first and sorted: no other order is known not to matter."""
    found = [
        (_is_standard(node, name.name), f"{ast.dump(_bare_import(node))} {name.name} {name.asname}", name.asname or name.name)
        for node in block
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in node.names
    ]
    names = [name for _, _, name in found]
    if len(set(names)) < len(names) or "*" in names:
        return [line for _, line, _ in found]
    return [*sorted(line for standard, line, _ in found if standard), *(line for standard, line, _ in found if not standard)]


def _is_standard(node: ast.Import | ast.ImportFrom, name: str) -> bool:
    module = (node.module or "") if isinstance(node, ast.ImportFrom) else name
    inside = isinstance(node, ast.ImportFrom) and node.level
    return not inside and module.partition(".")[0] in sys.stdlib_module_names


def _bare_import(node: ast.Import | ast.ImportFrom) -> ast.stmt:
    return ast.ImportFrom(node.module, [], node.level) if isinstance(node, ast.ImportFrom) else ast.Import([])


def _is_import(node: ast.stmt) -> bool:
    return isinstance(node, ast.Import | ast.ImportFrom)


def _dumped(statement: ast.stmt) -> str:
    """The statement without docstrings, and a version without its value."""
    for node in ast.walk(statement):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            node.body = [inner for place, inner in enumerate(node.body) if place or not _is_docstring(inner)]
    if isinstance(statement, ast.Assign) and _is_version(statement):
        return f"{[ast.dump(target) for target in statement.targets]} is a version"
    return ast.dump(statement)


def _tests(module: ast.Module) -> Iterator[tuple[str, str]]:
    """A test module piece by piece, each with a name by which it may be missed: that of a whole test, else none.

    A method of a class with parents of the project's own may hide one of theirs, a function one that came with a star: these are
    no whole tests here.
    """
    starred = any(isinstance(node, ast.ImportFrom) and node.names[0].name == "*" for node in module.body)
    for imports, block in groupby(module.body, _is_import):
        if imports:
            yield from ((line, "") for line in _imported(list(block)))
            continue
        for node in block:
            if isinstance(node, ast.ClassDef):
                head = ast.dump(ast.ClassDef(node.name, node.bases, node.keywords, [], node.decorator_list))
                yield head, ""
                inherits = any(ast.unparse(base).rpartition(".")[2] != "TestCase" for base in node.bases)
                yield from ((f"{head} {_dumped(inner)}", "" if inherits else _test(inner, node.name)) for inner in node.body)
            elif not _is_docstring(node):
                yield ast.dump(node) if _is_version(node) else _dumped(node), "" if starred else _test(node)


def _is_part(new: list[tuple[str, str]], old: list[tuple[str, str]]) -> bool:
    """Whether the new pieces are the old ones in their order, but for tests that are missed under their names."""
    left, kept = iter(new), {name for _, name in new}
    wanted = next(left, None)
    for piece in old:
        if piece == wanted:
            wanted = next(left, None)
        elif not piece[1] or piece[1] in kept:
            return False
    return wanted is None


def _test(node: ast.stmt, owner: str = "") -> str:
    """A whole test's name, the class it lies in before it; empty for anything else, a fixture of such a name too."""
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or not node.name.startswith("test"):
        return ""
    return "" if any("fixture" in ast.unparse(one) for one in node.decorator_list) else f"{owner}.{node.name}"


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _is_version(node: ast.stmt) -> bool:
    """Whether a statement gives the version as a literal."""
    if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Constant | ast.Tuple):
        return False
    parts = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
    names = all(isinstance(target, ast.Name) and target.id in _VERSIONS for target in node.targets)
    return names and all(isinstance(part, ast.Constant) for part in parts)
