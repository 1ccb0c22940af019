"""Checks on Python's syntax tree. A public name is one without a leading underscore, all the way up to the module."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Literal

from pydantic import Field, NonNegativeInt, PositiveInt, field_validator

from harness.python_source import comments, syntax_tree
from harness.style.checks import Site, SourceCheck
from harness.style.source import Function, dotted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from harness.style.source import Definition, Documented, Module

Pattern = re.Pattern[str]


class DocstringPublic(SourceCheck):
    """Every public function, class and method has a docstring."""

    def sites(self, module: Module) -> Iterator[Site]:
        """One site per public definition without one."""
        for definition in module.definitions:
            if definition.public and not definition.overloading and not _docstring(definition.node):
                yield _at(definition, "has no docstring")

    def places(self, module: Module) -> Iterable[str]:
        """Every public definition."""
        return (item.name for item in module.definitions if item.public and not item.overloading)


class DocstringSummaryPeriod(SourceCheck):
    """The first line of every docstring ends with a period."""

    def sites(self, module: Module) -> Iterator[Site]:
        """One site per docstring whose first line does not."""
        for name, node, text in _docstrings(module):
            if not text.strip().splitlines()[0].rstrip().endswith("."):
                line = getattr(node, "lineno", 1)
                yield Site(line=line, symbol=name, message=f"the docstring's first line of {name} has no period at its end")

    def places(self, module: Module) -> Iterable[str]:
        """Every docstring."""
        return (name for name, _, _ in _docstrings(module))


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

    def places(self, module: Module) -> Iterable[str]:
        """Every function."""
        return _functions(module)


class DocstringOfTests(SourceCheck):
    """Each test function has a docstring."""

    def sites(self, module: Module) -> Iterator[Site]:
        """One site per test without one."""
        for definition in _tests(module):
            if not _docstring(definition.node):
                yield _at(definition, "has no docstring")

    def places(self, module: Module) -> Iterable[str]:
        """Every test function."""
        return (item.name for item in _tests(module))


class NamesOfTests(SourceCheck):
    """The whole name of each test function fits `pattern`."""

    pattern: Pattern

    def sites(self, module: Module) -> Iterator[Site]:
        """One site per test named otherwise."""
        for definition in _tests(module):
            if not self.pattern.fullmatch(definition.node.name):
                yield _at(definition, f"is not named like {self.pattern.pattern}")

    def places(self, module: Module) -> Iterable[str]:
        """Every test function."""
        return (item.name for item in _tests(module))


class TodoForm(SourceCheck):
    """A comment that says TODO fits `pattern`."""

    pattern: Pattern

    def sites(self, module: Module) -> Iterator[Site]:
        """One site per comment that does not."""
        for line, _, comment in comments(module.text):
            if _TODO.search(comment) and not self.pattern.search(comment):
                yield Site(line=line, symbol=comment, message=f"this TODO is not written like {self.pattern.pattern}")

    def places(self, module: Module) -> Iterable[str]:
        """Every comment that says TODO."""
        return (comment for _, _, comment in comments(module.text) if _TODO.search(comment))


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
        return _functions(module)


class DocstringModule(SourceCheck):
    """Every module opens with a docstring; one without any statement is excused."""

    def sites(self, module: Module) -> Iterator[Site]:
        """At most one site."""
        if module.tree.body and not _docstring(module.tree):
            yield Site(line=1, symbol="module", message="the module has no docstring")


class DocstringQuotes(SourceCheck):
    """The quotes of a docstring of several lines stand alone on their lines, the opening ones too."""

    def sites(self, module: Module) -> Iterator[Site]:
        """One site per docstring of several lines written otherwise."""
        for name, node, text in _docstrings(module):
            if "\n" in text.strip() and not (text.startswith("\n") and text.rpartition("\n")[2].strip() == ""):
                message = f"the docstring's quotes of {name} do not stand on lines of their own"
                yield Site(line=getattr(node, "lineno", 1), symbol=name, message=message)

    def places(self, module: Module) -> Iterable[str]:
        """Every docstring of several lines."""
        return (name for name, _, text in _docstrings(module) if "\n" in text.strip())


class DocstringStyle(SourceCheck):
    """Docstrings that describe parameters or results do it in one style: google, numpy or sphinx."""

    style: Literal["google", "numpy", "sphinx"]

    def sites(self, module: Module) -> Iterator[Site]:
        """One site per docstring with a section of another style."""
        for name, node, text in _docstrings(module):
            found = _styles(text)
            if found and self.style not in found:
                message = f"the docstring of {name} is in {found[0]} style, not {self.style}"
                yield Site(line=getattr(node, "lineno", 1), symbol=name, message=message)

    def places(self, module: Module) -> Iterable[str]:
        """Every docstring with a section of any style."""
        return (name for name, _, text in _docstrings(module) if _styles(text))


class NamesOfDefinitions(SourceCheck):
    """The whole own name of each definition of one kind fits `pattern`; names between double underscores are Python's own."""

    of: Literal["function", "class"]
    pattern: Pattern

    def sites(self, module: Module) -> Iterator[Site]:
        """One site per definition named otherwise."""
        for definition in self._all(module):
            if not self.pattern.fullmatch(definition.node.name):
                yield _at(definition, f"is not named like {self.pattern.pattern}")

    def places(self, module: Module) -> Iterable[str]:
        """Every definition of the kind."""
        return (item.name for item in self._all(module))

    def _all(self, module: Module) -> Iterator[Definition]:
        kind = ast.ClassDef if self.of == "class" else Function
        return (item for item in module.definitions if isinstance(item.node, kind) and not _DUNDER.fullmatch(item.node.name))


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


class ImportsRequired(SourceCheck):
    """Every module with a statement besides its docstring imports these, as in `from __future__ import annotations`."""

    names: tuple[str, ...] = Field(min_length=1)

    def sites(self, module: Module) -> Iterator[Site]:
        """One site per missing name."""
        there = set(_imports(module))
        if len(module.tree.body) > bool(_docstring(module.tree)):
            for name in self.names:
                if name not in there:
                    yield Site(line=1, symbol=name, message=f"does not import {name}")


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


class CommentsNoCode(SourceCheck):
    """No comment is commented-out code: a line of its own that parses as a statement which prose could not be."""

    def sites(self, module: Module) -> Iterator[Site]:
        """One site per such line."""
        lines = module.text.splitlines()
        for row, column, comment in comments(module.text):
            if not lines[row - 1][:column].strip() and _is_code(comment.lstrip("#").strip()):
                yield Site(line=row, symbol=comment, message="is commented-out code")

    def places(self, module: Module) -> Iterable[str]:
        """Every comment."""
        return (comment for _, _, comment in comments(module.text))


class CommentsForbidden(SourceCheck):
    """No comment contains `pattern`."""

    pattern: Pattern

    def sites(self, module: Module) -> Iterator[Site]:
        """One site per comment that does."""
        for line, _, comment in comments(module.text):
            if self.pattern.search(comment):
                yield Site(line=line, symbol=comment, message=f"this comment fits {self.pattern.pattern}")

    def places(self, module: Module) -> Iterable[str]:
        """Every comment."""
        return (comment for _, _, comment in comments(module.text))


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
                    yield _at(definition, f"has {count} parameters, more than {self.max}")

    def places(self, module: Module) -> Iterable[str]:
        """Every function."""
        return _functions(module)


_TODO = re.compile(r"\bTODO\b")
_DUNDER = re.compile(r"__\w+__")
_STYLES = {
    "google": re.compile(r"^[ \t]*(?:Args|Arguments|Returns|Yields|Raises|Attributes):[ \t]*$", re.MULTILINE),
    "numpy": re.compile(r"^[ \t]*(?:Parameters|Returns|Yields|Raises|Attributes)[ \t]*\n[ \t]*-{3,}[ \t]*$", re.MULTILINE),
    "sphinx": re.compile(r"^[ \t]*:(?:param|type|returns?|rtype|raises?)\b[^\n]*:", re.MULTILINE),
}
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


def _docstrings(module: Module) -> Iterator[tuple[str, Documented, str]]:
    """Name, node and text of every docstring that holds a word."""
    for name, node in (("module", module.tree), *((item.name, item.node) for item in module.definitions)):
        if (text := _docstring(node)).strip():
            yield name, node, text


def _styles(text: str) -> list[str]:
    return [name for name, pattern in _STYLES.items() if pattern.search(text)]


def _functions(module: Module) -> Iterator[str]:
    return (item.name for item in module.definitions if isinstance(item.node, Function))


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


def _is_code(words: str) -> bool:
    """Whether a comment's text is a statement. A bare name, number or sentence of one word parses too, and is none."""
    if not _CODE_LIKE.search(words):
        return False
    source = syntax_tree(f"{words}\n    pass".encode() if words.endswith(":") else words.encode())
    if source is None:
        return False
    return any(not isinstance(node, ast.Expr) or isinstance(node.value, ast.Call | ast.Await) for node in source[1].body)


_CODE_LIKE = re.compile(r"^(?:import|from|def|class|return|raise|if|for|while|with|del|assert|try|await)\b|[=(]")


def _imports(module: Module) -> Iterator[str]:
    for _, node in module.nodes:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from _imported(node)


def _in_form(node: ast.AST, form: str) -> set[str]:
    """The modules that an import statement imports in the form."""
    if isinstance(node, ast.Import) and form == "module":
        return {alias.name for alias in node.names}
    if isinstance(node, ast.ImportFrom) and form == "names":
        return {"." * node.level + (node.module or "")}
    return set()


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
    "docstring.module": DocstringModule,
    "docstring.summary_period": DocstringSummaryPeriod,
    "docstring.quotes_on_own_lines": DocstringQuotes,
    "docstring.style": DocstringStyle,
    "hints.public": HintsPublic,
    "calls.banned": CallsBanned,
    "raises.banned": RaisesBanned,
    "imports.banned": ImportsBanned,
    "imports.form": ImportsForm,
    "imports.required": ImportsRequired,
    "imports.top_level": ImportsTopLevel,
    "syntax.banned": SyntaxBanned,
    "naming.definitions": NamesOfDefinitions,
    "function.max_lines": FunctionMaxLines,
    "function.max_parameters": FunctionMaxParameters,
    "tests.docstring": DocstringOfTests,
    "tests.naming": NamesOfTests,
    "comments.todo_form": TodoForm,
    "comments.forbidden": CommentsForbidden,
    "comments.no_code": CommentsNoCode,
    "defaults.mutable": DefaultsMutable,
}
