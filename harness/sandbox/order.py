"""The grading order: every tree that the grader lays, the linter's commands, pytest's arguments. Pure.

Trees share bytes: a file that is the same in several of them is sent once.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.pytest_settings import pytest_settings
from harness.sandbox.allowed import TESTS, graded_trees, hidden_tree
from harness.sandbox.canaries import planted
from harness.sandbox.images import ENVIRONMENT
from harness.task import distributions
from harness.tree import Tree, matches

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from random import Random

    from harness.ports import Json
    from harness.rollout import Change
    from harness.task import Task

ROOT = "/grade"
BASE, AFTER, PROJECT, HIDDEN = "base", "after", "project", "hidden"
UNUSED = ("junitxml", "pastebin", "stepwise", "setuponly", "setupplan", "doctest", "faulthandler")
CLEAN = (
    ("PATH", f"{ENVIRONMENT}/bin:/usr/local/bin:/usr/bin:/bin"),
    ("HOME", "/tmp"),  # noqa: S108  (a tmpfs of the grading container)
    ("TMPDIR", "/tmp"),  # noqa: S108  (the same)
    ("LANG", "C.UTF-8"),
    ("TZ", "UTC"),
    ("COLUMNS", "120"),
    ("PYTHONDONTWRITEBYTECODE", "1"),
    ("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1"),
)
OTHERS = {"conftest", "tests", "test", "setup"}

# Dozens of canaries fail in every run: explaining each at length took three times the run itself.
CHEAP = ("--assert=plain", *(word for name in UNUSED for word in ("-p", f"no:{name}")))


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What is sent to a grading container, and what the harness keeps to itself: canaries and the dropped paths."""

    head: dict[str, Json]
    body: bytes
    canaries: Mapping[str, int]
    dropped: tuple[str, ...]


def grading_order(task: Task, change: Change, random: Random, lint: Sequence[Sequence[str]], *, lint_base: bool) -> Order:
    """Everything for one grading; `lint` are the command lines to run over the tree after, and with `lint_base` before."""
    trees = graded_trees(task, change, lint)
    settings = pytest_settings(task.base)
    tests = planted(hidden_tree(task), random)
    linted = {BASE: task.base} if lint_base else {}
    linted[AFTER] = trees.linted
    ini = Tree.of({"pytest.ini": settings.ini})
    listing, body = laid({**(linted if lint else {}), PROJECT: trees.project, HIDDEN: tests.tree, "": ini})
    head: dict[str, Json] = {
        "files": listing,
        "lint": [{"tree": tree, "argv": list(argv)} for tree in linted for argv in lint],
        "seconds": task.tests_seconds,
        "environment": dict(CLEAN),
        "import_path": [f"{ROOT}/{PROJECT}/{path}".removesuffix("/.") for path in settings.import_path],
        "argv": _pytest(tests.tree),
        "plugins": [re.split(r"[\[=]", pin)[0] for pin in distributions(task.requirements)],
        "judge": str(task.judge),
        "hidden": HIDDEN,
        **names(task, settings.import_path),
    }
    return Order(head=head, body=body, canaries=tests.items, dropped=trees.dropped)


def laid(trees: dict[str, Tree]) -> tuple[list[Json], bytes]:
    """Listing and body for `wire.lay`: each tree below its folder, equal contents once."""
    body = bytearray()
    places: dict[bytes, int] = {}
    listing: list[Json] = []
    for folder, tree in trees.items():
        for path, file in tree:
            if file.content not in places:
                places[file.content] = len(body)
                body += file.content
            name = f"{folder}/{path}" if folder else path
            listing.append([name, file.mode, places[file.content], len(file.content)])
    return listing, bytes(body)


def packages_of(task: Task) -> frozenset[str]:
    """Top-level packages that base or reference have on the import path. The agent has no say in it."""
    return _packages(task, pytest_settings(task.base).import_path)


def names(task: Task, import_path: tuple[str, ...]) -> dict[str, Json]:
    """What the judge takes for the project's own: its packages, and names that must be classes, as in base or reference."""
    code = [file.text for path, file in (*task.base, *task.reference) if path.endswith(".py") and not matches(path, TESTS)]
    classes = {name for text in code for name in re.findall(r"^class (\w+)", text, re.MULTILINE)}
    return {"packages": sorted(_packages(task, import_path)), "classes": sorted(classes)}


def _packages(task: Task, import_path: tuple[str, ...]) -> frozenset[str]:
    starts = ["" if folder == "." else f"{folder}/" for folder in import_path]
    paths = [path for path, _ in (*task.base, *task.reference) if path.endswith(".py")]
    below = [path.removeprefix(start) for path in paths for start in starts if path.startswith(start)]
    return frozenset(path.partition("/")[0].removesuffix(".py") for path in below) - sys.stdlib_module_names - OTHERS


def _pytest(tests: Tree) -> list[Json]:
    hidden = f"{ROOT}/{HIDDEN}"
    arguments = ["-c", f"{ROOT}/pytest.ini", "--rootdir", hidden, "--confcutdir", hidden, "-p", "no:cacheprovider"]
    arguments += ["--import-mode=importlib", "--capture=no", "-q", "--no-header", "--no-summary", "--color=no", *CHEAP]
    if not any(path.rpartition("/")[2] == "conftest.py" for path, _ in tests):
        arguments.append("--noconftest")
    return [*arguments, hidden]
