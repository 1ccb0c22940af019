"""Files as bags of lines, the way the rehearsal's reviewer compares them: spacing folded, hidden characters shown.

A bag counts lines; differences of bags may be negative. Order is not looked at: a change is its lines.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

from harness.printable import printable
from harness.python_source import comments, parsed, syntax_tree

if TYPE_CHECKING:
    from harness.tree import File, Tree

Bag = Counter[str]
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def folded(line: str) -> str:
    """One line as it is compared."""
    shown = line if line.isascii() and line.isprintable() else printable(line, lines=False)
    return " ".join(shown.split())


def raw_lines(file: File | None) -> Bag:
    """All lines of a file that are not blank."""
    return _bag(file.text.split("\n")) if file else Counter()


@lru_cache(maxsize=4096)
def code_lines(file: File | None) -> Bag:
    """The lines of a Python file without comments and docstrings; of any other file, all. Not to be altered by the caller."""
    source = syntax_tree(file.content) if file else None
    if file is None or source is None:
        return raw_lines(file)
    text, tree = source
    lines = text.split("\n")
    for row, column, _ in comments(text):
        lines[row - 1] = lines[row - 1][:column]
    for node in ast.walk(tree):
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            _blank(lines, node.body[0], alone=len(node.body) == 1 and not isinstance(node, ast.Module))
    return _bag(lines)


def delta(before: Tree, after: Tree, path: str, *, code_only: bool) -> Bag:
    """What a file gained (positive) and lost (negative) between two trees."""
    lines = code_lines if code_only and path.endswith(".py") else raw_lines
    bag = Counter(lines(after.get(path)))
    bag.subtract(lines(before.get(path)))
    return _settled(bag)


def less(bag: Bag, known: Bag) -> Bag:
    """The bag without what is known, line by line and sign by sign; what is not in the bag is not made up for."""
    left = Counter(bag)
    for line, count in known.items():
        if left[line] * count > 0:
            left[line] -= count if abs(count) <= abs(left[line]) else left[line]
    return _settled(left)


def is_code(line: str) -> bool:
    """Whether a folded line of a Python file is a statement, or begins or ends one: prose of a docstring is neither."""
    text = line.strip()
    if not text or text.startswith(("#", '"""', "'''")):
        return False
    if re.search(r"[\[({,:=]$|^[\])}]", text):
        return True
    try:
        body = parsed(text).body
    except (SyntaxError, ValueError):
        return bool(re.match(r"(elif|else|except|finally|case|return|yield|await|break|continue)\b", text))
    return not (len(body) == 1 and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Name | ast.Constant))


def _blank(lines: list[str], docstring: ast.stmt, *, alone: bool) -> None:
    for row in range(docstring.lineno, (docstring.end_lineno or docstring.lineno) + 1):
        lines[row - 1] = ""
    if alone:
        lines[docstring.lineno - 1] = "..."


def _bag(lines: list[str]) -> Bag:
    return Counter(line for line in map(folded, lines) if line)


def _settled(bag: Bag) -> Bag:
    return Counter({line: count for line, count in bag.items() if count})
