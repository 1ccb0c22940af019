"""What is seen from outside of a fault: a statement made from the tests that fail of it, never from the fault or its place."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from harness.python_source import syntax_tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from harness.suites.mutations import Mutation
    from harness.tree import Tree

MOST_SYMPTOMS = 8
LONGEST = 160  # characters of one symptom
_RAISED = re.compile(r"^(?:E\s+)?([A-Za-z_][\w.]*(?:Error|Exception|Warning|Exit|Interrupt|Iteration))\b", re.MULTILINE)
_STATEMENT = """\
## Problem

Part of what {project} does has stopped working. What no longer holds:

{symptoms}

## Expected

All of this holds again, and everything else stays as it is.

## Interface

No name is added, removed or changed.
"""


def statement(project: str, symptoms: Iterable[str]) -> str:
    """The task text: these symptoms, the first MOST_SYMPTOMS of them."""
    told = list(dict.fromkeys(symptoms))
    rest = [f"- and {len(told) - MOST_SYMPTOMS} more of this kind"] if len(told) > MOST_SYMPTOMS else []
    return _STATEMENT.format(project=project, symptoms="\n".join([*(f"- {text}" for text in told[:MOST_SYMPTOMS]), *rest]))


def symptoms(failing: Iterable[str], tests: Tree, said: Mapping[str, tuple[str, str]], mutation: Mutation) -> tuple[str, ...]:
    """One line for each failing test function: what it says of itself, and the error seen where that is more than a wrong value.

    Args:
        failing: ids of the failing tests.
        tests: the hidden tests.
        said: outcome and message of each test that did not pass.
        mutation: what must not be named.
    """
    functions: dict[str, str] = {}
    for name in failing:
        functions.setdefault(name.partition("[")[0], said.get(name, ("", ""))[1])
    return tuple(f"{_sentence(name, tests, mutation)}{_error(message)}" for name, message in functions.items())


def _sentence(name: str, tests: Tree, mutation: Mutation) -> str:
    """A test's docstring where it has one that does not name the function with the fault; else the words of its name."""
    path, *scopes, function = name.split("::")
    file = tests.get(path)
    parsed = syntax_tree(file.content) if file else None
    found = next((node for node in _functions(parsed[1] if parsed else None, scopes) if node.name == function), None)
    said = " ".join((ast.get_docstring(found) or "").partition("\n\n")[0].split()) if found else ""
    if said and len(said) <= LONGEST and not _names(said, mutation):
        return said.rstrip(".")
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", " ".join((*scopes, function))).replace("_", " ").split()
    kept = [word for word in words if word.lower() not in {"test", "tests", "testcase"}]
    text = " ".join(word if word.isupper() else word.lower() for word in kept) or function
    return text[:1].upper() + text[1:LONGEST]


def _functions(tree: ast.AST | None, scopes: list[str]) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    body = list(tree.body) if isinstance(tree, ast.Module) else []
    for scope in scopes:
        body = next((node.body for node in body if isinstance(node, ast.ClassDef) and node.name == scope), [])
    yield from (node for node in body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def _names(text: str, mutation: Mutation) -> bool:
    """Whether a text names the function that holds the fault."""
    return any(re.search(rf"\b{re.escape(part)}\b", text) for part in mutation.function.split(".") if not part.startswith("__"))


def _error(message: str) -> str:
    found = _RAISED.findall(message)
    raised = found[-1].rpartition(".")[2] if found else ""
    return f" (`{raised}` is raised)" if raised and raised not in {"AssertionError", "NotImplementedError"} else ""
