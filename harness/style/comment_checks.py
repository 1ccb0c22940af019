"""Checks on comments of Python files: their form, what they must not hold, and code that was commented out."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from harness.python_source import comments, syntax_tree
from harness.style.checks import Site, SourceCheck

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from harness.style.source import Module

Pattern = re.Pattern[str]
_TODO = re.compile(r"\bTODO\b")
_CODE_LIKE = re.compile(r"^(?:import|from|def|class|return|raise|if|for|while|with|del|assert|try|await)\b|[=(]")


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


def _is_code(words: str) -> bool:
    """Whether a comment's text is a statement. A bare name, number or sentence of one word parses too, and is none."""
    if not _CODE_LIKE.search(words):
        return False
    source = syntax_tree(f"{words}\n    pass".encode() if words.endswith(":") else words.encode())
    if source is None:
        return False
    return any(not isinstance(node, ast.Expr) or isinstance(node.value, ast.Call | ast.Await) for node in source[1].body)


CHECKS: dict[str, type[SourceCheck]] = {
    "comments.todo_form": TodoForm,
    "comments.forbidden": CommentsForbidden,
    "comments.no_code": CommentsNoCode,
}
