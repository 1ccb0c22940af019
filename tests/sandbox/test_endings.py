"""How trials end that do not end well: whose fault it is, by proof."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from harness.gates import Outcome, judge_tests
from harness.ports import TrialEndedError
from harness.rollout import Ending
from harness.sandbox.engine import connect
from harness.sandbox.labels import RUN
from harness.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Iterator

    from docker import APIClient

    from harness.sandbox.docker_sandbox import DockerSandbox
    from harness.task import Task
    from harness.trial import TrialKey
    from tests.sandbox.conftest import RunTrial

pytestmark = pytest.mark.docker


@pytest.fixture
def client() -> Iterator[APIClient]:
    """The engine's client, as a person at the command line has it."""
    found = connect()
    yield found
    found.close()


def added(text: str) -> str:
    """A command that adds a text to the module under test."""
    return f"cat >> src/calc/__init__.py <<'END'\n{text}\nEND"


def test_a_command_at_its_limit_is_killed_with_all_that_it_started(sandbox: DockerSandbox, task: Task, key: TrialKey) -> None:
    with sandbox.open(task, Tree(), key) as box:
        started = time.monotonic()
        result = box.workspace.run(("bash", "-c", "(setsid sleep 999 &) ; echo begun; sleep 999"), seconds=1)
        assert time.monotonic() - started < 5
        assert (result.exit_code, result.timed_out, result.output) == (None, True, b"begun\n")
        left = box.workspace.run(("bash", "-c", "grep -l '^Name:.*sleep' /proc/[0-9]*/status"), seconds=5)
        assert left.output == b""


def test_a_quiet_command_within_its_limit_keeps_its_result(sandbox: DockerSandbox, task: Task, key: TrialKey) -> None:
    with sandbox.open(task, Tree(), key) as box:
        result = box.workspace.run(("bash", "-c", "sleep 3; exit 7"), seconds=20)
    assert (result.exit_code, result.timed_out, result.output) == (7, False, b"")


def test_a_child_left_holding_the_output_does_not_hold_up_the_answer(sandbox: DockerSandbox, task: Task, key: TrialKey) -> None:
    with sandbox.open(task, Tree(), key) as box:
        result = box.workspace.run(("bash", "-c", "sleep 20 & echo ok"), seconds=15)
    assert (result.exit_code, result.output) == (0, b"ok\n")
    assert result.seconds < 5


def test_short_commands_never_lose_their_output(sandbox: DockerSandbox, task: Task, key: TrialKey) -> None:
    with sandbox.open(task, Tree(), key) as box:
        outputs = {box.workspace.run(("echo", "hello"), seconds=5).output for _ in range(200)}
    assert outputs == {b"hello\n"}


def test_long_output_keeps_head_and_tail_and_says_what_is_left_out(sandbox: DockerSandbox, task: Task, key: TrialKey) -> None:
    with sandbox.open(task, Tree(), key) as box:
        command = "echo first; head -c 50000000 /dev/zero | tr '\\0' x; echo; echo last"
        result = box.workspace.run(("bash", "-c", command), seconds=30)
        endless = box.workspace.run(("yes",), seconds=1)
    assert result.truncated
    assert result.output.startswith(b"first\n")
    assert result.output.endswith(b"x\nlast\n")
    assert b"\n[... 49737868 bytes left out ...]\n" in result.output
    assert (endless.timed_out, endless.truncated, len(endless.output) < 300_000) == (True, True, True)


def test_standard_input_and_missing_programs_are_plain_results(sandbox: DockerSandbox, task: Task, key: TrialKey) -> None:
    with sandbox.open(task, Tree(), key) as box:
        big = b"x" * 3_000_000
        assert box.workspace.run(("wc", "-c"), stdin=big, seconds=10).output == b"3000000\n"
        missing = box.workspace.run(("no-such-program",), seconds=5)
    assert (missing.exit_code, missing.output) == (127, b"no-such-program: No such file or directory\n")


def test_memory_that_runs_out_is_told_with_the_limit(sandbox: DockerSandbox, task: Task, key: TrialKey) -> None:
    with pytest.raises(TrialEndedError) as error, sandbox.open(task, Tree(), key) as box:
        box.workspace.run(("python", "-c", "x = bytearray(900_000_000)"), seconds=20)
    assert (error.value.ending, error.value.cause) == (Ending.OUT_OF_MEMORY, "the limit of 256 MiB was reached")


def test_a_container_killed_from_outside_is_missing(
    sandbox: DockerSandbox, task: Task, key: TrialKey, client: APIClient, run_id: str
) -> None:
    with sandbox.open(task, Tree(), key) as box:
        for found in client.containers(filters={"label": f"{RUN}={run_id}"}):
            client.kill(found["Id"])
        with pytest.raises(TrialEndedError) as error:
            box.workspace.run(("true",), seconds=5)
    assert (error.value.ending, error.value.cause) == (Ending.MISSING_CONTAINER, "the container was killed from outside")


def test_a_grader_killed_from_outside_is_missing(
    sandbox: DockerSandbox, task: Task, key: TrialKey, client: APIClient, run_id: str
) -> None:
    with sandbox.open(task, Tree(), key) as box:
        change = box.take_out()
        box.workspace.wait_until_gone()
        while not (found := client.containers(filters={"label": f"{RUN}={run_id}"})):
            time.sleep(0.05)
        client.remove_container(found[0]["Id"], force=True)
        with pytest.raises(TrialEndedError) as error:
            box.grade(change)
    assert error.value.ending is Ending.MISSING_GRADER


def test_a_thread_that_never_ends_does_not_hold_up_the_result(trial: RunTrial) -> None:
    code = "import threading, time\nthreading.Thread(target=time.sleep, args=(60,)).start()\n"
    report = trial(added(f"{code}add = lambda a, b: a + b"), tests_seconds=10).graded.tests
    assert judge_tests(report).outcome is Outcome.PASS
    assert report.seconds < 9


def test_a_child_that_keeps_the_pipes_does_not_hold_up_the_result(trial: RunTrial) -> None:
    code = "import os, time\nif os.fork() == 0:\n    time.sleep(60)\n    os._exit(0)\n"
    report = trial(added(f"{code}add = lambda a, b: a + b"), tests_seconds=10).graded.tests
    assert judge_tests(report).outcome is Outcome.PASS


SPOILED = """
import os
for number in range(3, 64):
    try:
        os.write(number, b"junk\\n")
    except OSError:
        pass
add = lambda a, b: a + b
"""


def test_a_change_that_spoils_the_records_fails_since_the_reference_does_not(trial: RunTrial) -> None:
    report = trial(added(SPOILED)).graded.tests
    assert judge_tests(report).outcome is Outcome.FAIL
    assert report.problem.startswith("no evidence: a record cannot be read (at byte ")


def test_a_change_that_cannot_be_imported_is_a_collection_error(trial: RunTrial) -> None:
    report = trial(added("import no_such_module")).graded.tests
    assert report.problem.startswith("collection error in ")
    assert report.problem.endswith("ModuleNotFoundError: No module named 'no_such_module'")


def test_hundreds_of_megabytes_of_output_leave_a_capped_record_and_the_true_result(trial: RunTrial) -> None:
    loud = "import os\ndef add(a, b):\n    os.write(1, b'x' * 10_000_000)\n    return a + b"
    report = trial(added(loud), tests_seconds=60).graded.tests
    assert judge_tests(report).outcome is Outcome.PASS
    assert len(report.output) < 100_000
    assert "bytes left out" in report.output
