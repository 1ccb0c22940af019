"""What the machinery of one trial costs: wall time less the agent's own work and pytest's run, by phase, at one job and at two.

python benchmarks/machinery.py [TRIALS] [SUITE]

Every trial is one of the suite's tasks with its reference as the agent's work, laid by one `git apply` in the container. pytest's
import is part of the grader's start, which overlaps with the agent's work: only what is waited for counts. Review is not in it.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from harness.gates import judge_tests
from harness.sandbox.docker_sandbox import DockerSandbox
from harness.sandbox.repository import Repository
from harness.suites.catalog import load_suite
from harness.tree import Tree
from harness.trial import Arm, Stage, TrialKey

if TYPE_CHECKING:
    from harness.task import Suite, Task

TRIALS = 30
SUITE = Path("task_suites/pocket")
TARGET_SECONDS = 0.8
TARGET_RATE = 1.0
PHASES = ("open", "agent", "take-out", "grade", "of it pytest", "close")


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """Seconds of one trial by phase, in the order of PHASES."""

    phases: tuple[float, ...]

    @property
    def machinery(self) -> float:
        """All but the agent's work and pytest's run."""
        opened, _, taken, graded, pytest, closed = self.phases
        return opened + taken + graded - pytest + closed


def main(trials: int, suite: Suite) -> None:
    """Run the trials at one job and at two, and print phases, medians and rates."""
    with tempfile.TemporaryDirectory() as scratch:
        repository = Repository(Path(scratch) / "patches.git")
        patches = {task.id: repository.change(task.base, task.reference).patch for task in suite.tasks}
        repository.close()
        for jobs in (1, 2):
            with DockerSandbox(suite=suite, run_id=f"bench-{jobs}", state=Path(scratch), jobs=jobs) as sandbox:
                sandbox.prepare(print)
                one = _Trial(sandbox, patches)
                one(suite.tasks[0])  # the first trial builds caches that all others share
                tasks = [suite.tasks[number % len(suite.tasks)] for number in range(trials)]
                started = time.monotonic()
                with ThreadPoolExecutor(jobs) as pool:
                    timings = list(pool.map(one, tasks))
                _report(jobs, timings, time.monotonic() - started)


class _Trial:
    def __init__(self, sandbox: DockerSandbox, patches: dict[str, bytes]) -> None:
        self._sandbox = sandbox
        self._patches = patches

    def __call__(self, task: Task) -> Timing:
        """One trial, which must pass."""
        key = TrialKey(stage=Stage.ADHOC, confirmation="", arm=Arm.BASELINE, variant="bench", task=task.id, repeat=1)
        marks = [time.monotonic()]
        with self._sandbox.open(task, Tree(), key) as box:
            marks.append(time.monotonic())
            done = box.workspace.run(("git", "apply", "--whitespace=nowarn"), stdin=self._patches[task.id], seconds=30)
            marks.append(time.monotonic())
            change = box.take_out()
            marks.append(time.monotonic())
            tests = box.grade(change).tests
            marks.append(time.monotonic())
        marks.append(time.monotonic())
        verdict = judge_tests(tests)
        if done.exit_code or not verdict.passed:
            sys.exit(f"{task.id}: the reference does not pass: {done.output!r} {verdict.reason}")
        opened, agent, taken, graded, closed = (after - before for before, after in pairwise(marks))
        return Timing(phases=(opened, agent, taken, graded, tests.seconds, closed))


def _report(jobs: int, timings: list[Timing], seconds: float) -> None:
    rate = len(timings) / seconds
    found = sorted(timing.machinery for timing in timings)
    median, most = statistics.median(found), found[int(0.95 * (len(found) - 1))]
    print(f"\n{jobs} job{'s' if jobs > 1 else ''}, {len(timings)} trials: {rate:.2f} trials a second")
    for name, values in zip(PHASES, zip(*(timing.phases for timing in timings), strict=True), strict=True):
        print(f"  {name:<14} median {statistics.median(values):6.3f} s   max {max(values):6.3f} s")
    print(f"  {'machinery':<14} median {median:6.3f} s   95 % below {most:.3f} s")
    target = f"at most {TARGET_SECONDS} s" if jobs == 1 else f"more than {TARGET_RATE} a second"
    met = median <= TARGET_SECONDS if jobs == 1 else rate > TARGET_RATE
    print(f"  target {target}: {'met' if met else 'MISSED (is the machine quiet?)'}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else TRIALS, load_suite(Path(sys.argv[2]) if len(sys.argv) > 2 else SUITE))  # noqa: PLR2004
