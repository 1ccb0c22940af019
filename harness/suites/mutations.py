"""Mutations: one small fault each in a Python source, found on its syntax tree and made in its text, so that nothing else moves.

Owns the operators (docs/suites.md names them); which mutation is a fault that anybody can see, only tests can say. Read-only,
deterministic, in the order of the text.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate
from typing import TYPE_CHECKING, TypeVar

from harness.python_source import syntax_tree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Function = ast.FunctionDef | ast.AsyncFunctionDef
N = TypeVar("N", bound=ast.expr)


class Operator(StrEnum):
    """The kinds of fault."""

    COMPARISON = "comparison"
    BOUNDARY = "boundary"
    BRANCH = "branch"
    LOGIC = "logic"
    DEFAULT = "default"
    EXCEPTION = "exception"
    OFF_BY_ONE = "off-by-one"
    GUARD = "removed guard"
    ARGUMENTS = "swapped arguments"
    ARITHMETIC = "arithmetic"
    CONSTANT = "flipped constant"
    RESULT = "lost result"
    BODY = "removed body"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutation:
    """One fault: bytes `start` to `end` of the source become `new`. Lines count from 1, both ends included.

    `function` is the qualified name of the innermost function around it, empty at module level.
    """

    operator: Operator
    start: int
    end: int
    new: bytes
    first_line: int
    last_line: int
    function: str


def mutations(content: bytes) -> tuple[Mutation, ...]:
    """Every mutation of a source; none where it cannot be parsed, or its offsets would not be those of its bytes."""
    parsed = syntax_tree(content)
    plain = content.replace(b"\r\n", b"\n")
    if parsed is None or b"\r" in plain or parsed[0].encode("utf-8", "surrogatepass") != plain:
        return ()
    source = _Source(content)
    found = {(one.start, one.end, one.new): one for one in reversed(list(_walk(source, parsed[1], "", "")))}
    return tuple(sorted(found.values(), key=lambda one: (one.start, one.end, one.operator, one.new)))


def mutated(content: bytes, mutation: Mutation) -> bytes | None:
    """The source with the fault in it, or None where that is no Python or the same program."""
    after = content[: mutation.start] + mutation.new + content[mutation.end :]
    old, new = syntax_tree(content), syntax_tree(after)
    return after if old and new and ast.dump(old[1]) != ast.dump(new[1]) else None


class _Source:
    """Offsets and texts of nodes in a source's bytes."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self._starts = [0, *accumulate(len(line) + 1 for line in content.split(b"\n"))]

    def start(self, node: ast.expr | ast.stmt) -> int:
        return self._starts[node.lineno - 1] + node.col_offset

    def end(self, node: ast.expr | ast.stmt) -> int:
        return self._starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)

    def text(self, node: ast.expr | ast.stmt) -> bytes:
        return self.content[self.start(node) : self.end(node)]

    def line_of(self, offset: int) -> int:
        return self.content.count(b"\n", 0, offset) + 1

    def line_start(self, offset: int) -> int:
        return self.content.rfind(b"\n", 0, offset) + 1

    def line_end(self, offset: int) -> int:
        """The offset behind the line break."""
        found = self.content.find(b"\n", offset)
        return len(self.content) if found < 0 else found + 1


Fault = tuple[Operator, int, int, bytes]
_UNTOUCHED = frozenset({"annotation", "returns", "decorator_list", "type_params"})


def _walk(source: _Source, node: ast.AST, scope: str, function: str) -> Iterator[Mutation]:
    """`scope` is the qualified name around a node, `function` the same where that is a function's."""
    if isinstance(node, ast.JoinedStr) or _never_run(node):  # positions inside an f-string are wrong before Python 3.12
        return
    if isinstance(node, Function | ast.ClassDef):
        scope = f"{scope}.{node.name}" if scope else node.name
        function = "" if isinstance(node, ast.ClassDef) else scope
    faults = [fault for kind, operator in _OPERATORS if isinstance(node, kind) for fault in operator(source, node)]
    for operator, start, end, new in (*faults, *_guards(source, node)):
        first, last = (source.line_of(place) for place in (start, max(start, end - 1)))
        yield Mutation(operator=operator, start=start, end=end, new=new, function=function, first_line=first, last_line=last)
    for name, value in ast.iter_fields(node):
        children = value if isinstance(value, list) else [value]
        for child in children if name not in _UNTOUCHED else ():
            if isinstance(child, ast.AST):
                yield from _walk(source, child, scope, function)


def _never_run(node: ast.AST) -> bool:
    """`if __name__ == "__main__"` and `if TYPE_CHECKING`."""
    return isinstance(node, ast.If) and re.search(r"\b(__name__|TYPE_CHECKING)\b", ast.unparse(node.test)) is not None


_SIGNS: dict[type[ast.cmpop], tuple[bytes, bytes, bytes]] = {  # how it is written, its negation, its neighbour at the boundary
    ast.Lt: (rb"<(?!=)", b">=", b"<="),
    ast.LtE: (rb"<=", b">", b"<"),
    ast.Gt: (rb">(?!=)", b"<=", b">="),
    ast.GtE: (rb">=", b"<", b">"),
    ast.Eq: (rb"==", b"!=", b""),
    ast.NotEq: (rb"!=", b"==", b""),
    ast.Is: (rb"\bis\b", b"is not", b""),
    ast.IsNot: (rb"\bis\s+not\b", b"is", b""),
    ast.In: (rb"\bin\b", b"not in", b""),
    ast.NotIn: (rb"\bnot\s+in\b", b"in", b""),
}


def _comparisons(source: _Source, node: ast.Compare) -> Iterator[Fault]:
    sides = (node.left, *node.comparators)
    for left, sign, right in zip(sides, node.ops, node.comparators, strict=False):
        written, negated, neighbour = _SIGNS[type(sign)]
        if place := _between(source, left, right, written):
            yield Operator.COMPARISON, *place, negated
            if neighbour:
                yield Operator.BOUNDARY, *place, neighbour


def _logic(source: _Source, node: ast.BoolOp) -> Iterator[Fault]:
    written, other = (rb"\band\b", b"or") if isinstance(node.op, ast.And) else (rb"\bor\b", b"and")
    for left, right in zip(node.values, node.values[1:], strict=False):
        if place := _between(source, left, right, written):
            yield Operator.LOGIC, *place, other


def _arithmetic(source: _Source, node: ast.BinOp) -> Iterator[Fault]:
    if any(isinstance(side, ast.JoinedStr) or _is(side, str, bytes) for side in (node.left, node.right)):
        return
    written, other = {ast.Add: (rb"\+", b"-"), ast.Sub: (rb"-", b"+")}.get(type(node.op), (b"", b""))
    if written and (place := _between(source, node.left, node.right, written)):
        yield Operator.ARITHMETIC, *place, other
        if _is(node.right, int) and source.text(node.right) == b"1":
            yield Operator.OFF_BY_ONE, source.end(node.left), source.end(node.right), b""


def _between(source: _Source, left: ast.expr, right: ast.expr, written: bytes) -> tuple[int, int] | None:
    """Where a sign stands between two operands; None where a comment or a second one makes that unsure."""
    start, end = source.end(left), source.start(right)
    gap = source.content[start:end]
    found = list(re.finditer(written, gap))
    if len(found) != 1 or b"#" in gap:
        return None
    return start + found[0].start(), start + found[0].end()


def _branches(source: _Source, node: ast.If | ast.IfExp) -> Iterator[Fault]:
    test = node.test
    text = source.text(test)
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        new = text.removeprefix(b"not").strip()
    elif isinstance(test, ast.Compare) and len(test.ops) == 1:
        return  # its negation is the comparison's
    else:
        new = b"not " + text if isinstance(test, ast.Name | ast.Attribute | ast.Call | ast.Subscript) else b"not (" + text + b")"
    yield Operator.BRANCH, source.start(test), source.end(test), new


def _defaults(source: _Source, node: ast.arguments) -> Iterator[Fault]:
    for default in (*node.defaults, *node.kw_defaults):
        if isinstance(default, ast.Constant) and (new := _another(default.value)):
            yield Operator.DEFAULT, source.start(default), source.end(default), new


def _another(value: object) -> bytes:
    if isinstance(value, bool):
        return str(not value).encode()
    if isinstance(value, int):
        return str(value + 1).encode()
    return b'""' if isinstance(value, str) and value else b""


_OTHER_ERROR = {
    "AttributeError": "TypeError",
    "IndexError": "KeyError",
    "KeyError": "IndexError",
    "LookupError": "ValueError",
    "OSError": "ValueError",
    "RuntimeError": "ValueError",
    "TypeError": "ValueError",
    "ValueError": "TypeError",
}


def _raised(source: _Source, node: ast.Raise) -> Iterator[Fault]:
    error = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
    yield from _other_error(source, error)


def _caught(source: _Source, node: ast.ExceptHandler) -> Iterator[Fault]:
    yield from _other_error(source, node.type)
    if isinstance(node.type, ast.Tuple) and len(node.type.elts) > 1:
        kept = [source.text(kind) for kind in node.type.elts[:-1]]
        new = b"(" + b", ".join(kept) + b")" if len(kept) > 1 else kept[0]
        yield Operator.EXCEPTION, source.start(node.type), source.end(node.type), new


def _other_error(source: _Source, node: ast.expr | None) -> Iterator[Fault]:
    if isinstance(node, ast.Name) and node.id in _OTHER_ERROR:
        yield Operator.EXCEPTION, source.start(node), source.end(node), _OTHER_ERROR[node.id].encode()


def _index(source: _Source, node: ast.Subscript) -> Iterator[Fault]:
    parts = (node.slice.lower, node.slice.upper) if isinstance(node.slice, ast.Slice) else (node.slice,)
    yield from (fault for part in parts for fault in _one_more(source, part))


def _one_more(source: _Source, node: ast.expr | None) -> Iterator[Fault]:
    number = node.operand if isinstance(node, ast.UnaryOp) else node
    if isinstance(number, ast.Constant) and _is(number, int):
        yield Operator.OFF_BY_ONE, source.start(number), source.end(number), str(int(str(number.value)) + 1).encode()


_ORDERED = frozenset({"cast", "getattr", "hasattr", "isinstance", "issubclass", "print", "setattr", "super"})


def _calls(source: _Source, node: ast.Call) -> Iterator[Fault]:
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    if name == "range":
        yield from (fault for part in node.args for fault in _one_more(source, part))
    first, second = node.args[:2] if len(node.args) > 1 else (None, None)
    if name in _ORDERED or first is None or second is None or isinstance(first, ast.Starred) or isinstance(second, ast.Starred):
        return
    gap = source.content[source.end(first) : source.start(second)]
    if source.text(first) != source.text(second):
        new = source.text(second) + gap + source.text(first)
        yield Operator.ARGUMENTS, source.start(first), source.end(second), new


def _constants(source: _Source, node: ast.Constant) -> Iterator[Fault]:
    if isinstance(node.value, bool):
        yield Operator.CONSTANT, source.start(node), source.end(node), str(not node.value).encode()


def _results(source: _Source, node: ast.Return) -> Iterator[Fault]:
    if node.value is not None and not (isinstance(node.value, ast.Constant) and node.value.value is None):
        yield Operator.RESULT, source.start(node.value), source.end(node.value), b"None"


def _bodies(source: _Source, node: Function) -> Iterator[Fault]:
    body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
    if len(body) > 1 or (body and isinstance(body[0], ast.If | ast.For | ast.While | ast.With | ast.Try)):
        first = body[0]
        decorators = first.decorator_list if isinstance(first, Function | ast.ClassDef) else []
        start = min([source.start(first), *(source.start(one) - 1 for one in decorators)])
        yield Operator.BODY, start, source.end(body[-1]), b"raise NotImplementedError"


def _guards(source: _Source, node: ast.AST) -> Iterator[Fault]:
    """Every early way out of the node's blocks, with the comment above it; `pass` where nothing else stands there."""
    for name in ("body", "orelse", "finalbody"):
        found = getattr(node, name, None)
        block = found if isinstance(found, list) else []
        for statement in block:
            if _is_guard(source, statement):
                start, end = source.start(statement), source.end(statement)
                if len(block) == 1:
                    yield Operator.GUARD, start, end, b"pass"
                elif not source.content[source.line_start(start) : start].strip() and _ends_line(source, end):
                    yield Operator.GUARD, _comment_above(source, source.line_start(start)), source.line_end(end), b""


def _is_guard(source: _Source, node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.If)
        and not node.orelse
        and isinstance(node.body[-1], ast.Return | ast.Raise | ast.Continue | ast.Break)
        and not _never_run(node)
        and source.text(node).startswith(b"if")
    )


def _ends_line(source: _Source, end: int) -> bool:
    rest = source.content[end : source.line_end(end)].strip()
    return not rest or rest.startswith(b"#")


def _comment_above(source: _Source, start: int) -> int:
    while start:
        above = source.line_start(start - 1)
        if not source.content[above:start].strip().startswith(b"#"):
            break
        start = above
    return start


def _is(node: ast.expr, *kinds: type) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, kinds) and not isinstance(node.value, bool)


_OPERATORS: tuple[
    tuple[type[ast.AST], Callable[[_Source, ast.AST], Iterator[Fault]]], ...
] = (  # of equal faults the first names it
    (ast.Compare, _comparisons),
    (ast.BoolOp, _logic),
    (ast.If, _branches),
    (ast.IfExp, _branches),
    (ast.arguments, _defaults),
    (ast.Raise, _raised),
    (ast.ExceptHandler, _caught),
    (ast.Subscript, _index),
    (ast.Call, _calls),
    (ast.BinOp, _arithmetic),
    (ast.Constant, _constants),
    (ast.Return, _results),
    (ast.FunctionDef, _bodies),
    (ast.AsyncFunctionDef, _bodies),
)  # type: ignore[assignment]  # each operator takes the kind of node that it stands beside
