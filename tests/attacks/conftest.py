"""A real task of the bundled suite, attacked in real containers by commands that an agent could run; and what must follow."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import pytest

from harness.flags import flags_of
from harness.gates import judge_tests
from harness.sandbox.container import Bounds
from harness.sandbox.docker_sandbox import DockerSandbox, Settings
from harness.suites.catalog import load_task, read_toml
from harness.suites.files import SuiteFile
from harness.task import Judge, Suite, Task
from harness.tree import Tree
from harness.trial import Arm, Stage, TrialKey

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.evidence import TestReport
    from harness.gates import Verdict
    from harness.rollout import Change

POCKET = Path(__file__).parents[2] / "task_suites/pocket"


@pytest.fixture(scope="session")
def task() -> Task:
    """A task with one file to mend, `src/throttle/headers.py`, and 23 hidden tests, 16 of which fail before."""
    return load_task(POCKET / "tasks/throttle-retry-after-rounding")


@pytest.fixture(scope="session")
def suite(task: Task) -> Suite:
    """A suite of this one task, with the bundled suite's tools."""
    tools = tuple(read_toml(POCKET / "suite.toml", SuiteFile).tools.items())
    return Suite(id="attacked", version="1", tasks=(task,), packs=(), tools=tools)


@pytest.fixture(scope="session")
def key(task: Task) -> TrialKey:
    """A key for every trial here."""
    return TrialKey(stage=Stage.ADHOC, confirmation="", arm=Arm.BASELINE, variant="v", task=task.id, repeat=1)


@pytest.fixture(scope="session")
def sandbox(suite: Suite, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DockerSandbox]:
    """A prepared sandbox with little of everything, so that running out of it is quick."""
    settings = Settings(bounds=Bounds(memory_mb=160, files_mb=32, inodes=3000, processes=64))
    made = DockerSandbox(suite=suite, run_id="attacks", state=tmp_path_factory.mktemp("state"), jobs=2, settings=settings)
    with made:
        made.prepare()
        yield made


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What one attack came to."""

    outputs: tuple[bytes, ...]
    change: Change
    report: TestReport
    verdict: Verdict
    flags: tuple[str, ...]
    dropped: tuple[str, ...]


class Attack(Protocol):
    """Run shell commands as the agent, take out, grade."""

    def __call__(
        self, *commands: str, judge: Judge = Judge.IN_PROCESS, tests_seconds: float = 20.0, inject: Tree | None = None
    ) -> Outcome:
        """One trial."""
        ...


@pytest.fixture(scope="session")
def attack(sandbox: DockerSandbox, task: Task, key: TrialKey) -> Attack:
    """A trial of the task in one call."""

    def run(*commands: str, judge: Judge = Judge.IN_PROCESS, tests_seconds: float = 20.0, inject: Tree | None = None) -> Outcome:
        variant = replace(task, judge=judge, tests_seconds=tests_seconds)
        with sandbox.open(variant, inject or Tree(), key) as box:
            outputs = tuple(box.workspace.run(("bash", "-c", command), seconds=30).output for command in commands)
            change = box.take_out()
            graded = box.grade(change)
        return Outcome(
            outputs=outputs,
            change=change,
            report=graded.tests,
            verdict=judge_tests(graded.tests),
            flags=flags_of(change),
            dropped=graded.dropped,
        )

    return run


@pytest.fixture(scope="session")
def reference(task: Task) -> str:
    """The command that makes the honest change of the one source file."""
    source = task.reference.by_path["src/throttle/headers.py"].text
    return f"cat > src/throttle/headers.py <<'REFERENCE'\n{source}REFERENCE"


@pytest.fixture(scope="session")
def untouched(attack: Attack) -> TestReport:
    """What an untouched tree comes to: the tests that fail, fail."""
    return attack("true").report
