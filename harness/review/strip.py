"""Python without its comments and docstrings: what a reviewer sees when words in the code cannot sway it."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import lru_cache

from harness.python_source import comments, syntax_tree

_KEPT = b"..."


@dataclass(frozen=True, slots=True, order=True)
class _Cut:
    """A span to take out: rows from 1, columns in bytes, and what stands there instead."""

    row: int
    start: int
    end_row: int
    end: int
    instead: bytes = b""


@lru_cache(maxsize=1024)  # a task's own files come with every change of it
def stripped(content: bytes) -> bytes:
    """The source with comments and docstrings removed, and lines that became blank by it. Anything else stays byte for byte.

    The answer is UTF-8 with line feeds, whatever the file's coding. A file that cannot be parsed comes back as it is.
    """
    source = syntax_tree(content)
    if source is None:
        return content
    text, tree = source
    lines: list[bytes | None] = [*text.encode().splitlines(keepends=True)]
    for cut in sorted([*_comments(text), *_docstrings(tree)], reverse=True):
        _take_out(lines, cut)
    return b"".join(line for line in lines if line is not None)


def _comments(text: str) -> list[_Cut]:
    """The tokenizer's columns are characters, ours are bytes."""
    lines = text.split("\n")
    cuts = []
    for row, column, comment in comments(text):
        start = len(lines[row - 1][:column].encode())
        cuts.append(_Cut(row, start, row, start + len(comment.encode())))
    return cuts


def _docstrings(tree: ast.Module) -> list[_Cut]:
    cuts = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
                end_row, end = first.end_lineno or first.lineno, first.end_col_offset or 0
                needed = node.body[1].lineno == end_row if len(node.body) > 1 else not isinstance(node, ast.Module)
                cuts.append(_Cut(first.lineno, first.col_offset, end_row, end, _KEPT if needed else b""))
    return cuts


def _take_out(lines: list[bytes | None], cut: _Cut) -> None:
    """Cuts come from the end backwards, so that earlier positions stay true."""
    first, last = lines[cut.row - 1] or b"", lines[cut.end_row - 1] or b""
    ending = b"\n" if last.endswith(b"\n") else b""
    left = (first[: cut.start] + cut.instead + last[cut.end :].removesuffix(b"\n")).rstrip()
    lines[cut.row - 1] = left + ending if left else None
    for row in range(cut.row, cut.end_row):
        lines[row] = None
