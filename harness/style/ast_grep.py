"""Patterns on syntax trees of any language, by the ast-grep library: nothing is run, nothing of the project is loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Self

from pydantic import Field, model_validator

from harness.style.checks import FILE, FileCheck, Site

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ast_grep_py import SgNode

    from harness.tree import File

Language = Literal[
    "bash",
    "c",
    "cpp",
    "csharp",
    "css",
    "go",
    "html",
    "java",
    "javascript",
    "json",
    "kotlin",
    "lua",
    "php",
    "python",
    "ruby",
    "rust",
    "scala",
    "swift",
    "tsx",
    "typescript",
    "yaml",
]


class AstGrep(FileCheck):
    """No place of a file fits: `pattern` is code with `$NAME` and `$$$NAME` holes, `rule` an ast-grep rule object.

    See ast-grep.github.io/reference/rule.html for both. Exactly one is given; `places` is a rule object for where it applies.
    """

    language: Language
    pattern: str = ""
    rule: dict[str, object] = Field(default_factory=dict)
    places: dict[str, object] = Field(default_factory=dict)
    says: str = ""

    @model_validator(mode="after")
    def _usable(self) -> Self:
        if bool(self.pattern.strip()) == bool(self.rule):
            raise ValueError("give either pattern or rule")
        try:
            self._found("", self._matcher)
            self._found("", self.places or self._matcher)
        except Exception as error:
            first = str(error).partition("Stack backtrace")[0]
            raise ValueError(f"ast-grep does not take it: {' '.join(first.split())}") from error
        return self

    def violations(self, file: File) -> Iterator[Site]:
        """One site per match, keyed on the first line of the matched text."""
        for node in self._found(_text(file), self._matcher):
            first = _first(node)
            line = node.range().start.line + 1
            yield Site(line=line, symbol=first, message=self.says or f"matches what the rule forbids: {first[:80]}")

    def chances(self, file: File) -> Iterator[str]:
        """Every match of `places`, or the file as such."""
        yield from (_first(node) for node in self._found(_text(file), self.places)) if self.places else (FILE,)

    @property
    def _matcher(self) -> dict[str, object]:
        return self.rule or {"pattern": self.pattern}

    def _found(self, text: str, rule: dict[str, object]) -> list[SgNode]:
        from ast_grep_py import SgRoot  # noqa: PLC0415  (a compiled library of 15 MB that most packs do not need)

        config: Any = {"rule": rule}
        return list(SgRoot(text, self.language).root().find_all(config))


def _text(file: File) -> str:
    return "" if b"\0" in file.content else file.content.decode("utf-8", "replace")


def _first(node: SgNode) -> str:
    return node.text().partition("\n")[0].strip()


CHECKS: dict[str, type[FileCheck]] = {"": AstGrep}
