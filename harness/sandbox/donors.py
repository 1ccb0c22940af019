"""Donors of canaries: tests that can be copied with their expected values changed, so that no honest code passes the copy. Pure.

A donor is a test function of a module's top level that compares by `assert ... == ...`: either undecorated, or with one plain
`parametrize`, every row of which holds an expected value. What is changed are only plain values, so that an import never fails.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.python_source import literal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from random import Random

LETTERS = "abcdefghijklmnopqrstuvwxyz"
DIGITS = "0123456789"
SUBSTITUTED = 3
LEAST, MOST = 11, 89  # how far a changed number is off: further than a slip in honest code, near enough to look honest
Place = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Donor:
    """A test's source and, for each of its items, the places of values (start, end) of which one must be changed."""

    name: str
    text: str
    name_at: int
    items: tuple[tuple[Place, ...], ...]

    def copy(self, name: str, random: Random) -> str:
        """The test under another name, every item with one expected value changed."""
        edits = {(self.name_at, self.name_at + len(self.name)): name}
        for places in self.items:
            start, end = random.choice(places)
            edits[start, end] = changed(self.text[start:end], random)
        text = self.text
        for (start, end), new in sorted(edits.items(), reverse=True):
            text = text[:start] + new + text[end:]
        return text.rstrip("\n") + "\n"


def donors(module: ast.Module, lines: Sequence[str]) -> list[Donor]:
    """All donors of a module, whose lines are given with their ends."""
    tests = [node for node in module.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test")]
    found = (_donor(node, _Text(lines, first_line(node), node.end_lineno or node.lineno)) for node in tests)
    return [donor for donor in found if donor is not None]


def first_line(node: ast.FunctionDef) -> int:
    """The first line of a function, decorators included, counted from 0."""
    return min([node.lineno, *(item.lineno for item in node.decorator_list)]) - 1


def changed(source: str, random: Random) -> str:
    """Another value in place of one: a number far off, a string with letters replaced, a number for anything else."""
    try:
        value = literal(source)
    except (ValueError, SyntaxError):
        return str(random.randint(1000, 9999))
    if isinstance(value, (str, bytes)):
        return _changed_text(source, random)
    if isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e15:  # noqa: PLR2004  (exact in a float)
        return repr(value + random.randint(LEAST, MOST))
    return str(random.randint(1000, 9999))


def _changed_text(source: str, random: Random) -> str:
    start = source.index(source[-1]) + 1
    body = source[start:-1]
    spots = [match.start() for match in re.finditer(r"[a-zA-Z0-9]", body)]
    if "\\" in body or len(spots) < SUBSTITUTED:
        return source[:start] + "".join(random.choice(LETTERS) for _ in range(SUBSTITUTED)) + source[start:]
    letters = list(body)
    for spot in random.sample(spots, SUBSTITUTED):
        alike = DIGITS if letters[spot].isdigit() else LETTERS.upper() if letters[spot].isupper() else LETTERS
        letters[spot] = random.choice([letter for letter in alike if letter != letters[spot]])
    return source[:start] + "".join(letters) + source[-1]


def _donor(node: ast.FunctionDef, text: _Text) -> Donor | None:
    expected = [value for statement in node.body if (value := _expected(statement)) is not None]
    if not expected:
        return None
    if not node.decorator_list:
        # A constructor that refuses the changed value fails the copy as well; any other expression is replaced whole.
        plain = [place for value in expected for place in _places(value, text, constructors=True)]
        items = [tuple(plain or [text.span(value) for value in expected])]
    else:
        items = _rows(node.decorator_list, _only_expected(node, expected), text)
    if not items or not all(items):
        return None
    return Donor(name=node.name, text=text.text, name_at=text.at(node.lineno, node.col_offset) + len("def "), items=tuple(items))


def _only_expected(node: ast.FunctionDef, expected: list[ast.expr]) -> set[str]:
    """Names that the body uses as expected values and for nothing else: one that is an input too may change both sides."""
    used = [name.id for statement in node.body for name in ast.walk(statement) if isinstance(name, ast.Name)]
    compared = [value.id for value in expected if isinstance(value, ast.Name)]
    return {name for name in compared if used.count(name) == compared.count(name)}


def _rows(decorators: list[ast.expr], expected: set[str], text: _Text) -> list[tuple[Place, ...]]:
    """The places in each row of the one plain `parametrize`; empty where it is anything else."""
    call = decorators[0]
    if len(decorators) != 1 or not isinstance(call, ast.Call) or ast.unparse(call.func) != "pytest.mark.parametrize":
        return []
    if len(call.args) != 2 or not isinstance(call.args[1], (ast.List, ast.Tuple)):  # noqa: PLR2004  (names and rows)
        return []
    names = _argument_names(call.args[0])
    rows = [row.elts if isinstance(row, ast.Tuple) and len(names) > 1 else [row] for row in call.args[1].elts]
    if any(len(row) != len(names) for row in rows):
        return []
    wanted = [[value for name, value in zip(names, row, strict=True) if name in expected] for row in rows]
    return [tuple(place for value in row for place in _places(value, text)) for row in wanted]


def _argument_names(node: ast.expr) -> list[str]:
    try:
        found = ast.literal_eval(node)
    except ValueError:
        return []
    words = found.split(",") if isinstance(found, str) else list(found)
    return [str(word).strip() for word in words]


def _places(node: ast.expr, text: _Text, *, constructors: bool = False) -> Iterator[Place]:
    """Where plain values stand in displays of them and, if asked for, in the arguments of constructors."""
    inner: list[ast.expr] = []
    if isinstance(node, ast.Constant):
        place = text.span(node)
        if _is_plain(text.text[place[0] : place[1]]):
            yield place
    elif isinstance(node, (ast.List, ast.Tuple)):
        inner = node.elts
    elif isinstance(node, ast.Dict):
        inner = node.values
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = [node.operand]
    elif constructors and isinstance(node, ast.Call) and not node.keywords and _is_constructor(node.func):
        inner = node.args
    for item in inner:
        yield from _places(item, text, constructors=constructors)


def _is_plain(source: str) -> bool:
    """A number, or one string on one line without a prefix other than b."""
    return re.fullmatch(r"""\d[\w.]*|b?(['"])(?!\1\1)[^\n]*\1""", source) is not None


def _is_constructor(node: ast.expr) -> bool:
    name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    return name[:1].isupper() or name in {"date", "datetime", "timedelta"}


def _expected(statement: ast.stmt) -> ast.expr | None:
    """The right side of `assert ... == ...`."""
    if not (isinstance(statement, ast.Assert) and isinstance(statement.test, ast.Compare)):
        return None
    compared = statement.test
    return compared.comparators[0] if len(compared.ops) == 1 and isinstance(compared.ops[0], ast.Eq) else None


class _Text:
    """A test's source text, and where a node stands in it."""

    def __init__(self, lines: Sequence[str], first: int, last: int) -> None:
        self._first = first
        self._lines = lines[first:last]
        self.text = "".join(self._lines)

    def at(self, line: int, column: int) -> int:
        """The position of a line (counted from 1 in the module) and a column in UTF-8 bytes."""
        row = line - 1 - self._first
        before = sum(len(text) for text in self._lines[:row])
        return before + len(self._lines[row].encode()[:column].decode())

    def span(self, node: ast.expr) -> Place:
        """Start and end of a node."""
        return self.at(node.lineno, node.col_offset), self.at(node.end_lineno or node.lineno, node.end_col_offset or 0)
