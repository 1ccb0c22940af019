"""Checks on Python's syntax tree. A public name is one without a leading underscore, all the way up to the module."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from pydantic import Field, PositiveInt

from harness.python_source import comments
from harness.style.checks import Site, SourceCheck
from harness.style.source import Function, dotted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.style.source import Definition, Documented, Module

Pattern = re.Pattern[str]


class DocstringPublic(SourceCheck):
    """Every public function, class and method has a docstring."""

    def sites(self, module: Module) -> Iterator[Site]:
        """One site per public definition without one."""
        for definition in module.definitions:
            if definition.public and not definition.overloading and not _docstring(definition.node):
                yield _at(definition, "has no docstring")


class DocstringSummaryPeriod(SourceCheck):
    """The first line of every docstring ends with a period."""

    def sites(self, module: Module) -> Iterator[Site]:
        """One site per docstring whose first line does not."""
        for name, node in (("module", module.tree), *((item.name, item.node) for item in module.definitions)):
            lines = _docstring(node).strip().splitlines()
            if lines and not lines[0].rstrip().endswith("."):
                line = getattr(node, "lineno", 1)
                yield Site(line=line, symbol=name, message=f"the docstring's first line of {name} has no period at its end")


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
                    yield _at(definition, f"has no annotation for {', '.join(bare)}")


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


class FunctionMaxLines(SourceCheck):
    """No function is longer than `max` lines, counted from `def` to its last line."""

    max: PositiveInt

    def sites(self, module: Module) -> Iterator[Site]:
        """One site per longer function."""
        for definition in module.definitions:
            length = (definition.node.end_lineno or definition.node.lineno) - definition.node.lineno + 1
            if isinstance(definition.node, Function) and length > self.max:
                yield _at(definition, f"has {length} lines, more than {self.max}")


class DocstringOfTests(SourceCheck):
    """Each test function has a docstring."""

    def sites(self, module: Module) -> Iterator[Site]:
        """One site per test without one."""
        for definition in _tests(module):
            if not _docstring(definition.node):
                yield _at(definition, "has no docstring")


class NamesOfTests(SourceCheck):
    """The whole name of each test function fits `pattern`."""

    pattern: Pattern

    def sites(self, module: Module) -> Iterator[Site]:
        """One site per test named otherwise."""
        for definition in _tests(module):
            if not self.pattern.fullmatch(definition.node.name):
                yield _at(definition, f"is not named like {self.pattern.pattern}")


class TodoForm(SourceCheck):
    """A comment that says TODO fits `pattern`."""

    pattern: Pattern

    def sites(self, module: Module) -> Iterator[Site]:
        """One site per comment that does not."""
        for line, _, comment in comments(module.text):
            if re.search(r"\bTODO\b", comment) and not self.pattern.search(comment):
                yield Site(line=line, symbol=comment, message=f"this TODO is not written like {self.pattern.pattern}")


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


_DISPLAYS = ast.List | ast.Dict | ast.Set | ast.ListComp | ast.DictComp | ast.SetComp
_MAKERS = frozenset(
    {"list", "dict", "set", "bytearray", "collections.defaultdict", "collections.deque", "collections.OrderedDict"}
)


def _at(definition: Definition, message: str) -> Site:
    return Site(line=definition.node.lineno, symbol=definition.name, message=f"{definition.name} {message}")


def _docstring(node: Documented) -> str:
    return ast.get_docstring(node, clean=False) or ""


def _tests(module: Module) -> Iterator[Definition]:
    for definition in module.definitions:
        if isinstance(definition.node, Function) and definition.node.name.startswith("test") and definition.within != "function":
            yield definition


def _unannotated(node: Function, *, method: bool) -> list[str]:
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    if method and "staticmethod" not in {dotted(decorator) for decorator in node.decorator_list}:
        positional = positional[1:]
    starred = [item for item in (arguments.vararg, arguments.kwarg) if item]
    return [item.arg for item in (*positional, *arguments.kwonlyargs, *starred) if item.annotation is None]


def _imported(node: ast.Import | ast.ImportFrom) -> tuple[str, ...]:
    if isinstance(node, ast.Import):
        return tuple(alias.name for alias in node.names)
    prefix = "." * node.level + (node.module or "")
    return tuple(f"{prefix}.{alias.name}" for alias in node.names)


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
    "docstring.public": DocstringPublic,
    "docstring.summary_period": DocstringSummaryPeriod,
    "hints.public": HintsPublic,
    "calls.banned": CallsBanned,
    "raises.banned": RaisesBanned,
    "imports.banned": ImportsBanned,
    "function.max_lines": FunctionMaxLines,
    "tests.docstring": DocstringOfTests,
    "tests.naming": NamesOfTests,
    "comments.todo_form": TodoForm,
    "defaults.mutable": DefaultsMutable,
}
