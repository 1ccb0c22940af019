"""One tiny project with a bug, a prepared sandbox for the whole session, and a trial in one call."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import pytest

from harness.sandbox.container import Bounds
from harness.sandbox.docker_sandbox import DockerSandbox, Settings
from harness.task import Split, Suite, Task
from harness.tree import Tree
from harness.trial import Arm, Stage, TrialKey

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.ports import CommandResult, Graded
    from harness.rollout import Change

CALC = '"""Sums."""\n\n\ndef add(a: int, b: int) -> int:\n    """Add."""\n    return a - b\n'
PROJECT = """\
[project]
name = "calc"
version = "1"

[tool.pytest.ini_options]
pythonpath = ["src"]
markers = ["slow: takes long"]

[tool.ruff.lint]
select = ["E", "F", "I"]
"""
VISIBLE = "from calc import add\n\n\ndef test_zero():\n    assert add(0, 0) == 0\n"
HIDDEN = """\
import pytest

from calc import add


def test_adds_small_numbers():
    assert add(1, 2) == 3


def test_adds_negative_numbers():
    assert add(-1, -2) == -3


@pytest.mark.slow
def test_adding_zero_changes_nothing(tmp_path):
    (tmp_path / "sum").write_text(str(add(5, 0)))
    assert (tmp_path / "sum").read_text() == "5"


@pytest.mark.parametrize(("a", "b", "total"), [(1, 1, 2), (2, 3, 5)])
def test_adds_pairs(a, b, total):
    assert add(a, b) == total
"""
FIX = "sed -i 's/a - b/a + b/' src/calc/__init__.py"


@pytest.fixture(scope="session")
def task() -> Task:
    """Add subtracts."""
    base = Tree.of(
        {
            ".gitignore": "build/\n",
            "pyproject.toml": PROJECT,
            "src/calc/__init__.py": CALC,
            "tests/test_calc.py": VISIBLE,
            "tools/run.sh": "#!/bin/sh\r\necho done\r\n",
        }
    )
    return Task(
        id="calc-add",
        project="calc",
        split=Split.DEV,
        instruction="`add` subtracts.",
        difficulty="easy",
        kind="behaviour",
        interface=("calc.add",),
        base=base,
        reference=base.overlaid(Tree.of({"src/calc/__init__.py": CALC.replace("a - b", "a + b")})),
        hidden=Tree.of({"test_add.py": HIDDEN}),
        fail_to_pass=(
            "test_add.py::test_adds_small_numbers",
            "test_add.py::test_adds_negative_numbers",
            "test_add.py::test_adds_pairs[1-1-2]",
            "test_add.py::test_adds_pairs[2-3-5]",
        ),
        pass_to_pass=("test_add.py::test_adding_zero_changes_nothing",),
        pack="",
        tests_seconds=20.0,
    )


@pytest.fixture(scope="session")
def suite(task: Task) -> Suite:
    """A suite of that one task, with pinned tools."""
    return Suite(id="calc", version="1", tasks=(task,), packs=(), tools=(("pytest", "9.2.0"), ("ruff", "0.17.6")))


@pytest.fixture(scope="session")
def run_id() -> str:
    """A run's name that no other test process has."""
    return f"tests-{os.getpid()}"


@pytest.fixture(scope="session")
def sandbox(suite: Suite, run_id: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DockerSandbox]:
    """A prepared sandbox with little memory, so that running out of it is quick."""
    settings = Settings(bounds=Bounds(memory_mb=160, files_mb=32, inodes=3000))
    made = DockerSandbox(suite=suite, run_id=run_id, state=tmp_path_factory.mktemp("state"), jobs=2, settings=settings)
    with made:
        made.prepare()
        yield made


@pytest.fixture(scope="session")
def key(task: Task) -> TrialKey:
    """A key for every trial here."""
    return TrialKey(stage=Stage.ADHOC, confirmation="", arm=Arm.BASELINE, variant="v", task=task.id, repeat=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What one trial gave."""

    results: tuple[CommandResult, ...]
    change: Change
    graded: Graded


class RunTrial(Protocol):
    """Run shell commands as the agent, take out, grade."""

    def __call__(self, *commands: str, tests_seconds: float = 20.0, inject: Tree | None = None) -> Outcome:
        """One trial."""
        ...


@pytest.fixture(scope="session")
def trial(sandbox: DockerSandbox, task: Task, key: TrialKey) -> RunTrial:
    """A trial of the task in one call."""

    def run(*commands: str, tests_seconds: float = 20.0, inject: Tree | None = None) -> Outcome:
        variant = replace(task, tests_seconds=tests_seconds)
        with sandbox.open(variant, inject or Tree(), key) as box:
            results = tuple(box.workspace.run(("bash", "-c", command), seconds=30) for command in commands)
            change = box.take_out()
            return Outcome(results=results, change=change, graded=box.grade(change))

    return run
