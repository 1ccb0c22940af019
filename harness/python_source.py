"""Parsing Python that others wrote: broken, hostile or newer than this interpreter, it is a value and never an exception."""

from __future__ import annotations

import ast
import io
import tokenize
import warnings
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

# One thread at a time: catch_warnings changes global state, and CPython 3.11 counts the depth of the tree being built once for
# all threads, so that two at once end as "SystemError: AST constructor recursion depth mismatch" (python/cpython#106905).
_PARSER = Lock()


def parsed(source: str | bytes) -> ast.Module:
    """The tree of a source that is expected to parse, safe from any thread.

    Raises:
        SyntaxError: the source is not valid Python.
        ValueError: it holds a null byte.
    """
    with _PARSER:
        return ast.parse(source)


def literal(source: str) -> object:
    """The value of a Python literal, safe from any thread. Raises SyntaxError or ValueError where it is none."""
    with _PARSER:
        return ast.literal_eval(source)


def syntax_tree(content: bytes) -> tuple[str, ast.Module] | None:
    """The file's text, decoded as its own coding line says, and its tree; None where this interpreter cannot parse it."""
    try:
        encoding = tokenize.detect_encoding(io.BytesIO(content).readline)[0]
        text = io.TextIOWrapper(io.BytesIO(content), encoding=encoding).read()
        with _PARSER, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an invalid escape in somebody's string is no business of ours
            return text, ast.parse(text)
    except (SyntaxError, ValueError, LookupError, RecursionError, MemoryError):
        return None


def comments(text: str) -> Iterator[tuple[int, int, str]]:
    """Every comment as (row from 1, column in characters from 0, text). Ends early where the tokenizer gives up."""
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                yield *token.start, token.string
    except (tokenize.TokenError, SyntaxError):
        return
