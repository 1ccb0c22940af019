"""Checks on docstrings: where they must stand, and how they are written."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from harness.style.checks import Site, SourceCheck
from harness.style.definitions import at, docstring, docstrings, tests

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from harness.style.source import Module

_STYLES = {
    "google": re.compile(r"^[ \t]*(?:Args|Arguments|Returns|Yields|Raises|Attributes):[ \t]*$", re.MULTILINE),
    "numpy": re.compile(r"^[ \t]*(?:Parameters|Returns|Yields|Raises|Attributes)[ \t]*\n[ \t]*-{3,}[ \t]*$", re.MULTILINE),
    "sphinx": re.compile(r"^[ \t]*:(?:param|type|returns?|rtype|raises?)\b[^\n]*:", re.MULTILINE),
}


class DocstringPublic(SourceCheck):
    """Every public function, class and method has a docstring."""

    def sites(self, module: Module) -> Iterator[Site]:
        """One site per public definition without one."""
        for definition in module.definitions:
            if definition.public and not definition.overloading and not docstring(definition.node):
                yield at(definition, "has no docstring")

    def places(self, module: Module) -> Iterable[str]:
        """Every public definition."""
        return (item.name for item in module.definitions if item.public and not item.overloading)


class DocstringModule(SourceCheck):
    """Every module opens with a docstring; one without any statement is excused."""

    def sites(self, module: Module) -> Iterator[Site]:
        """At most one site."""
        if module.tree.body and not docstring(module.tree):
            yield Site(line=1, symbol="module", message="the module has no docstring")


class DocstringSummaryPeriod(SourceCheck):
    """The first line of every docstring ends with a period."""

    def sites(self, module: Module) -> Iterator[Site]:
        """One site per docstring whose first line does not."""
        for name, node, text in docstrings(module):
            if not text.strip().splitlines()[0].rstrip().endswith("."):
                line = getattr(node, "lineno", 1)
                yield Site(line=line, symbol=name, message=f"the docstring's first line of {name} has no period at its end")

    def places(self, module: Module) -> Iterable[str]:
        """Every docstring."""
        return (name for name, _, _ in docstrings(module))


class DocstringQuotes(SourceCheck):
    """The quotes of a docstring of several lines stand alone on their lines, the opening ones too."""

    def sites(self, module: Module) -> Iterator[Site]:
        """One site per docstring of several lines written otherwise."""
        for name, node, text in docstrings(module):
            if "\n" in text.strip() and not (text.startswith("\n") and text.rpartition("\n")[2].strip() == ""):
                message = f"the docstring's quotes of {name} do not stand on lines of their own"
                yield Site(line=getattr(node, "lineno", 1), symbol=name, message=message)

    def places(self, module: Module) -> Iterable[str]:
        """Every docstring of several lines."""
        return (name for name, _, text in docstrings(module) if "\n" in text.strip())


class DocstringStyle(SourceCheck):
    """Docstrings that describe parameters or results do it in one style: google, numpy or sphinx."""

    style: Literal["google", "numpy", "sphinx"]

    def sites(self, module: Module) -> Iterator[Site]:
        """One site per docstring with a section of another style."""
        for name, node, text in docstrings(module):
            found = _styles(text)
            if found and self.style not in found:
                message = f"the docstring of {name} is in {found[0]} style, not {self.style}"
                yield Site(line=getattr(node, "lineno", 1), symbol=name, message=message)

    def places(self, module: Module) -> Iterable[str]:
        """Every docstring with a section of any style."""
        return (name for name, _, text in docstrings(module) if _styles(text))


class DocstringOfTests(SourceCheck):
    """Each test function has a docstring."""

    def sites(self, module: Module) -> Iterator[Site]:
        """One site per test without one."""
        for definition in tests(module):
            if not docstring(definition.node):
                yield at(definition, "has no docstring")

    def places(self, module: Module) -> Iterable[str]:
        """Every test function."""
        return (item.name for item in tests(module))


def _styles(text: str) -> list[str]:
    return [name for name, pattern in _STYLES.items() if pattern.search(text)]


CHECKS: dict[str, type[SourceCheck]] = {
    "docstring.public": DocstringPublic,
    "docstring.module": DocstringModule,
    "docstring.summary_period": DocstringSummaryPeriod,
    "docstring.quotes_on_own_lines": DocstringQuotes,
    "docstring.style": DocstringStyle,
    "tests.docstring": DocstringOfTests,
}
