"""Using up what there is, never ending, and trying to look like a fault of ours: every limit is reached here, and holds."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import pytest

from harness.gates import Outcome
from harness.ports import TrialEndedError
from harness.rollout import Ending
from harness.sandbox.container import Bounds
from harness.sandbox.docker_sandbox import DockerSandbox, Settings
from harness.task import Judge
from harness.tree import Tree

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

    from harness.task import Suite, Task
    from harness.trial import TrialKey
    from tests.attacks.conftest import Attack

pytestmark = pytest.mark.docker

BOMB = """
import os, time

started = []
try:
    while True:
        started.append(os.fork())
        if not started[-1]:
            time.sleep(20)
            os._exit(0)
except OSError as error:
    print(error.strerror, len(started) < 64)
for process in started:
    os.kill(process, 9)
    os.waitpid(process, 0)
"""


# Processor seconds of two processes that spin for two seconds, and how often the kernel held them back (cgroup v2, v1).
SPIN = """
for _ in 1 2; do timeout 2 python -c 'while True: pass' & done; wait
times | tail -1 | python -c '
import re, sys
print(sum(int(m) * 60 + float(s) for m, s in re.findall("([0-9]+)m([0-9.]+)s", sys.stdin.read())))'
cat /sys/fs/cgroup/cpu.stat /sys/fs/cgroup/cpu/cpu.stat 2> /dev/null | grep nr_throttled | cut -d" " -f2
"""


def added(text: str) -> str:
    """A command that adds a text to the module under test."""
    return f"cat >> src/throttle/headers.py <<'END'\n{text}\nEND"


def limited(suite: Suite, state: Path, bounds: Bounds) -> AbstractContextManager[DockerSandbox]:
    """A prepared sandbox with other bounds."""
    sandbox = DockerSandbox(suite=suite, run_id=f"limited-{os.getpid()}", state=state, jobs=1, settings=Settings(bounds=bounds))
    sandbox.prepare()
    return sandbox


def ending(sandbox: DockerSandbox, task: Task, key: TrialKey, command: str, seconds: float = 20) -> TrialEndedError:
    """How a trial ends whose agent runs one command."""
    try:
        with sandbox.open(task, Tree(), key) as box:
            box.workspace.run(("bash", "-c", command), seconds=seconds)
            box.take_out()
    except TrialEndedError as error:
        return error
    raise AssertionError("the trial went on")


def test_19_a_fork_bomb_meets_the_limit_of_processes_and_the_trial_goes_on(attack: Attack) -> None:
    found = attack(f"python -c '{BOMB}'", "echo still here")
    assert found.outputs == (b"Resource temporarily unavailable True\n", b"still here\n")


def test_19_processes_descriptors_and_core_files_are_limited(attack: Attack) -> None:
    pids, files = attack(
        "cat /sys/fs/cgroup/pids.max /sys/fs/cgroup/pids/pids.max 2>/dev/null; ulimit -c",
        "python -c 'import os\nopened = []\ntry:\n    while True: opened.append(os.dup(0))\nexcept OSError as error:"
        "\n    print(error.strerror, len(opened) < 1024)'",
    ).outputs
    assert pids == b"64\n0\n"
    assert files == b"Too many open files True\n"


def test_19_a_full_disk_is_no_space_left_and_the_change_is_still_taken_out(attack: Attack) -> None:
    found = attack(
        "head -c 64000000 /dev/zero > big; echo x > small; rm big; echo y > after", "head -c 90000000 /dev/zero > /tmp/big"
    )
    assert b"No space left on device" in found.outputs[0] + found.outputs[1]
    assert [file.path for file in found.change.files] == ["after", "small"]


def test_19_a_million_files_meet_the_limit_of_the_workspace(attack: Attack) -> None:
    found = attack('python -c \'for n in range(10**6): open(f"f{n}", "w")\' 2>&1 | tail -1; ls | wc -l; rm -f f*')
    assert b"No space left on device" in found.outputs[0]
    assert int(found.outputs[0].split()[-1]) < 3000


def test_19_a_sparse_file_ends_the_take_out(sandbox: DockerSandbox, task: Task, key: TrialKey) -> None:
    error = ending(sandbox, task, key, "truncate -s 100G huge")
    assert (error.ending, error.cause) == (
        Ending.ENVIRONMENT_BROKEN,
        "the workspace cannot be taken out: more than 192 MiB",
    )


@pytest.mark.parametrize("judge", list(Judge))
def test_19_a_flood_of_output_is_capped_and_wins_nothing(attack: Attack, judge: Judge) -> None:
    found = attack(
        added("import os, sys\nfor _ in range(40):\n    os.write(1, b'x' * 1_000_000)\n    print('y' * 100_000)"), judge=judge
    )
    assert found.verdict.outcome is Outcome.FAIL
    assert len(found.report.output) < 200_000


def test_19_a_busy_agent_gets_no_more_processor_than_its_share(task: Task, suite: Suite, key: TrialKey, tmp_path: Path) -> None:
    with limited(suite, tmp_path, Bounds(cpus=0.25)) as sandbox, sandbox.open(task, Tree(), key) as box:
        spun = box.workspace.run(("bash", "-c", SPIN), seconds=20).output
    used, periods_cut_short = spun.split()
    assert float(used) < 1.5
    assert int(periods_cut_short) > 0


@pytest.mark.soak
def test_19_more_files_than_are_taken_out_end_the_trial(task: Task, suite: Suite, key: TrialKey, tmp_path: Path) -> None:
    command = "mkdir many; cd many; python -c 'for n in range(50_001): open(str(n), \"w\").close()'"
    with limited(suite, tmp_path, Bounds(inodes=60_000)) as sandbox:
        error = ending(sandbox, task, key, command, seconds=120)
    assert (error.ending, error.cause) == (
        Ending.ENVIRONMENT_BROKEN,
        "the workspace cannot be taken out: more than 50000 files and folders",
    )


@pytest.mark.parametrize("judge", list(Judge))
def test_20_tests_that_never_end_are_cut_off(attack: Attack, judge: Judge) -> None:
    started = time.monotonic()
    found = attack(added("while True:\n    pass"), judge=judge, tests_seconds=2)
    assert found.report.problem == "timed out after 2 s"
    assert time.monotonic() - started < 30


@pytest.mark.parametrize("judge", list(Judge))
def test_20_orphans_that_hold_the_pipes_do_not_hold_up_the_answer(attack: Attack, judge: Judge) -> None:
    orphan = "import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(60)\n    os._exit(0)"
    found = attack(added(orphan), judge=judge)
    assert found.verdict.outcome is Outcome.FAIL
    assert found.report.seconds < 18


@pytest.mark.parametrize(
    "command",
    ["kill -9 -1", "kill -TERM 1", "kill -9 $PPID", pytest.param("kill -STOP $PPID; sleep 1", marks=pytest.mark.soak)],
)
def test_29_an_agent_that_ends_its_container_broke_it_itself(
    sandbox: DockerSandbox, task: Task, key: TrialKey, command: str
) -> None:
    assert ending(sandbox, task, key, f"{command}; sleep 3", seconds=4).ending is Ending.ENVIRONMENT_BROKEN


@pytest.mark.parametrize("judge", list(Judge))
def test_29_code_that_kills_what_it_can_reach_in_grading_fails(attack: Attack, judge: Judge) -> None:
    found = attack(added("import os, signal\nos.kill(-1, signal.SIGKILL)"), judge=judge)
    assert found.verdict.outcome is Outcome.FAIL


@pytest.mark.parametrize("judge", list(Judge))
def test_29_code_that_runs_out_of_memory_in_grading_fails(attack: Attack, judge: Judge) -> None:
    assert attack(added("x = bytearray(900_000_000)"), judge=judge).report.problem == "out of memory while the tests ran"
