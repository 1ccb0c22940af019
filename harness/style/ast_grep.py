"""Patterns on syntax trees of any language, by the ast-grep library: nothing is run, nothing of the project is loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Self

from pydantic import Field, model_validator

from harness.style.checks import FileCheck, Site

if TYPE_CHECKING:
    from collections.abc import Iterator

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

    See ast-grep.github.io/reference/rule.html for both. Exactly one is given.
    """

    language: Language
    pattern: str = ""
    rule: dict[str, object] = Field(default_factory=dict)
    says: str = ""

    @model_validator(mode="after")
    def _usable(self) -> Self:
        if bool(self.pattern.strip()) == bool(self.rule):
            raise ValueError("give either pattern or rule")
        try:
            self._found("")
        except Exception as error:
            first = str(error).partition("Stack backtrace")[0]
            raise ValueError(f"ast-grep does not take it: {' '.join(first.split())}") from error
        return self

    def violations(self, file: File) -> Iterator[Site]:
        """One site per match, keyed on the first line of the matched text."""
        for node in [] if b"\0" in file.content else self._found(file.content.decode("utf-8", "replace")):
            first = node.text().partition("\n")[0].strip()
            line = node.range().start.line + 1
            yield Site(line=line, symbol=first, message=self.says or f"matches what the rule forbids: {first[:80]}")

    def _found(self, text: str) -> list[Any]:
        from ast_grep_py import SgRoot  # noqa: PLC0415  (a compiled library of 15 MB that most packs do not need)

        config: Any = {"rule": self.rule or {"pattern": self.pattern}}
        return list(SgRoot(text, self.language).root().find_all(config))


CHECKS: dict[str, type[FileCheck]] = {"": AstGrep}
