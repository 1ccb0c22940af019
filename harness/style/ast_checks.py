"""Checks on Python's syntax tree. A public name is one without a leading underscore, all the way up to the module.

Docstrings, imports and comments have modules of their own; `CHECKS` holds them all.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Literal

from pydantic import Field, NonNegativeInt, PositiveInt, field_validator

from harness.style import comment_checks, docstring_checks, import_checks
from harness.style.checks import Site, SourceCheck
from harness.style.definitions import at, functions, tests
from harness.style.source import Function, dotted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from harness.style.source import Definition, Module

Pattern = re.Pattern[str]


class HintsPublic(SourceCheck):
    """Public functions, and the initialisers of public classes, annotate every parameter and what they return."""

    def sites(self, module: Module) -> Iterator[Site]:
        """One site per function with something unannotated."""
        classes = {item.name for item in module.definitions if item.public and isinstance(item.node, ast.ClassDef)}
        for definition in module.definitions:
            initialiser = definition.name.endswith(".__init__") and definition.name.rpartition(".")[0] in classes
            if isinstance(definition.node, Function) and (definition.public or initialiser):
                bare = _unannotated(definition.node, method=definition.within == "class")
                if definition.node.returns is None and not initialiser:
                    bare.append("return")
                if bare:
                    yield at(definition, f"has no annotation for {', '.join(bare)}")

    def places(self, module: Module) -> Iterable[str]:
        """Every public function."""
        return (item.name for item in module.definitions if item.public and isinstance(item.node, Function))


class _Names(SourceCheck):
    """A ban by dotted name: `print` is the bare name, `datetime.now` fits any longer path that ends so."""

    names: tuple[str, ...] = Field(min_length=1)

    def banned(self, name: str) -> str:
        """The banned name that a resolved dotted name stands for, or empty."""
        fits = (ban for ban in self.names if name == ban or ("." in ban and name.endswith(f".{ban}")))
        return next(fits, "")


class CallsBanned(_Names):
    """Nobody calls these."""

    def sites(self, module: Module) -> Iterator[Site]:
        """One site per call, aliases of imports seen through."""
        for scope, node in module.nodes:
            if isinstance(node, ast.Call) and not isinstance(node.func, ast.Call):
                ban = self.banned(module.resolved(node.func))
                if ban:
                    yield Site(line=node.lineno, symbol=f"{scope}:{ban}", message=f"calls {ban}")


class RaisesBanned(_Names):
    """Nobody raises these."""

    def sites(self, module: Module) -> Iterator[Site]:
        """One site per raise statement."""
        for scope, node in module.nodes:
            if isinstance(node, ast.Raise) and node.exc is not None:
                ban = self.banned(module.resolved(node.exc))
                if ban:
                    yield Site(line=node.lineno, symbol=f"{scope}:{ban}", message=f"raises {ban}")


class FunctionMaxLines(SourceCheck):
    """No function is longer than `max` lines, counted from `def` to its last line."""

    max: PositiveInt

    def sites(self, module: Module) -> Iterator[Site]:
        """One site per longer function."""
        for definition in module.definitions:
            length = (definition.node.end_lineno or definition.node.lineno) - definition.node.lineno + 1
            if isinstance(definition.node, Function) and length > self.max:
                yield at(definition, f"has {length} lines, more than {self.max}")

    def places(self, module: Module) -> Iterable[str]:
        """Every function."""
        return functions(module)


class NamesOfTests(SourceCheck):
    """The whole name of each test function fits `pattern`."""

    pattern: Pattern

    def sites(self, module: Module) -> Iterator[Site]:
        """One site per test named otherwise."""
        for definition in tests(module):
            if not self.pattern.fullmatch(definition.node.name):
                yield at(definition, f"is not named like {self.pattern.pattern}")

    def places(self, module: Module) -> Iterable[str]:
        """Every test function."""
        return (item.name for item in tests(module))


class DefaultsMutable(SourceCheck):
    """No parameter has a mutable default."""

    def sites(self, module: Module) -> Iterator[Site]:
        """One site per parameter."""
        for definition in module.definitions:
            if isinstance(definition.node, Function):
                for parameter, default in _defaults(definition.node.args):
                    if isinstance(default, _DISPLAYS) or _made(module, default):
                        message = f"parameter {parameter} of {definition.name} has a mutable default"
                        yield Site(line=default.lineno, symbol=f"{definition.name}({parameter})", message=message)

    def places(self, module: Module) -> Iterable[str]:
        """Every function."""
        return functions(module)


class NamesOfDefinitions(SourceCheck):
    """The whole own name of each definition of one kind fits `pattern`; names between double underscores are Python's own."""

    of: Literal["function", "class"]
    pattern: Pattern

    def sites(self, module: Module) -> Iterator[Site]:
        """One site per definition named otherwise."""
        for definition in self._all(module):
            if not self.pattern.fullmatch(definition.node.name):
                yield at(definition, f"is not named like {self.pattern.pattern}")

    def places(self, module: Module) -> Iterable[str]:
        """Every definition of the kind."""
        return (item.name for item in self._all(module))

    def _all(self, module: Module) -> Iterator[Definition]:
        kind = ast.ClassDef if self.of == "class" else Function
        return (item for item in module.definitions if isinstance(item.node, kind) and not _DUNDER.fullmatch(item.node.name))


class SyntaxBanned(SourceCheck):
    """Nobody writes these kinds of syntax, named as Python's `ast` does: IfExp, Lambda, Global, Assert, ..."""

    nodes: tuple[str, ...] = Field(min_length=1)

    @field_validator("nodes")
    @classmethod
    def _known(cls, nodes: tuple[str, ...]) -> tuple[str, ...]:
        unknown = [name for name in nodes if not isinstance(getattr(ast, name, None), type)]
        if unknown:
            raise ValueError(f"no kind of syntax {unknown[0]!r} in Python's ast")
        return nodes

    def sites(self, module: Module) -> Iterator[Site]:
        """One site per node, keyed on its source line."""
        lines = module.text.splitlines()
        for node in ast.walk(module.tree):
            if type(node).__name__ in self.nodes:
                row = getattr(node, "lineno", 1)
                name = type(node).__name__
                yield Site(line=row, symbol=f"{name}:{lines[row - 1].strip()}", message=f"uses {name}")


class FunctionMaxParameters(SourceCheck):
    """No function has more than `max` parameters, `self` and `cls` left out."""

    max: NonNegativeInt

    def sites(self, module: Module) -> Iterator[Site]:
        """One site per function with more."""
        for definition in module.definitions:
            if isinstance(definition.node, Function):
                count = len(_parameters(definition.node, method=definition.within == "class"))
                if count > self.max:
                    yield at(definition, f"has {count} parameters, more than {self.max}")

    def places(self, module: Module) -> Iterable[str]:
        """Every function."""
        return functions(module)


_DUNDER = re.compile(r"__\w+__")
_DISPLAYS = ast.List | ast.Dict | ast.Set | ast.ListComp | ast.DictComp | ast.SetComp
_MAKERS = frozenset(
    {"list", "dict", "set", "bytearray", "collections.defaultdict", "collections.deque", "collections.OrderedDict"}
)


def _unannotated(node: Function, *, method: bool) -> list[str]:
    return [item.arg for item in _parameters(node, method=method) if item.annotation is None]


def _parameters(node: Function, *, method: bool) -> list[ast.arg]:
    """All parameters but the first one of a method."""
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    if method and "staticmethod" not in {dotted(decorator) for decorator in node.decorator_list}:
        positional = positional[1:]
    starred = [item for item in (arguments.vararg, arguments.kwarg) if item]
    return [*positional, *arguments.kwonlyargs, *starred]


def _defaults(arguments: ast.arguments) -> Iterator[tuple[str, ast.expr]]:
    positional = [*arguments.posonlyargs, *arguments.args]
    for parameter, default in zip(positional[len(positional) - len(arguments.defaults) :], arguments.defaults, strict=True):
        yield parameter.arg, default
    for parameter, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        if value is not None:
            yield parameter.arg, value


def _made(module: Module, default: ast.expr) -> bool:
    return isinstance(default, ast.Call) and module.resolved(default.func) in _MAKERS


CHECKS: dict[str, type[SourceCheck]] = {
    **docstring_checks.CHECKS,
    **import_checks.CHECKS,
    **comment_checks.CHECKS,
    "hints.public": HintsPublic,
    "calls.banned": CallsBanned,
    "raises.banned": RaisesBanned,
    "syntax.banned": SyntaxBanned,
    "naming.definitions": NamesOfDefinitions,
    "function.max_lines": FunctionMaxLines,
    "function.max_parameters": FunctionMaxParameters,
    "tests.naming": NamesOfTests,
    "defaults.mutable": DefaultsMutable,
}
