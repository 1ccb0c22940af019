"""Tests that a suite leaves out, by its own addition to the hidden tests' conftest.py: a grading wants every test that runs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from harness.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Collection

_CONFTEST = "conftest.py"
_MARK = "\n\n# Left out by the suite: "
_ADDED = (
    _MARK
    + """not stable, or not passing on the reference. A name without parameters stands for all of its tests.
import pytest as _pytest

_LEFT_OUT = frozenset({names})


@_pytest.hookimpl(specname="pytest_collection_modifyitems", trylast=True)
def pytest_leave_out(items):
    items[:] = [item for item in items if not {{item.nodeid, item.nodeid.partition("[")[0]}} & _LEFT_OUT]
"""
)


def leaving_out(hidden: Tree, names: Collection[str]) -> Tree:
    """Hidden tests without those of these ids; an id without parameters stands for all of its tests."""
    own = hidden.get(_CONFTEST)
    listed = json.dumps(sorted(names), indent=4)
    return hidden.overlaid(Tree.of({_CONFTEST: (own.text if own else "") + _ADDED.format(names=listed)}))


def without_addition(hidden: Tree) -> Tree:
    """Hidden tests as the project has them."""
    own = hidden.get(_CONFTEST)
    if own is None or _MARK not in own.text:
        return hidden
    before = own.text.partition(_MARK)[0]
    rest = Tree(files=tuple((path, file) for path, file in hidden if path != _CONFTEST))
    return rest.overlaid(Tree.of({_CONFTEST: before})) if before else rest
