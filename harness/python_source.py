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

_PARSER = Lock()  # warnings.catch_warnings changes global state; one thread at a time


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
