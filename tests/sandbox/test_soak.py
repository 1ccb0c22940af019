from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness.executors.local import LocalExecutor
from harness.gates import judge_tests
from harness.sandbox.engine import connect
from harness.sandbox.labels import RUN

if TYPE_CHECKING:
    from tests.sandbox.conftest import RunTrial

pytestmark = [pytest.mark.docker, pytest.mark.soak]

TRIALS = 200
FIX = "sed -i 's/a - b/a + b/' src/calc/__init__.py"


def held() -> tuple[int, int, int]:
    """Open descriptors, threads and child processes of this process."""
    children = sum(len(entry.read_text().split()) for entry in Path("/proc/self/task").glob("*/children"))
    return len(os.listdir("/proc/self/fd")), threading.active_count(), children  # noqa: PTH208  (names alone: some vanish)


def test_many_trials_leave_no_descriptor_thread_or_process_behind(trial: RunTrial, run_id: str) -> None:
    list(LocalExecutor(2).map(lambda _: trial(FIX), range(8), lambda: None))
    before = held()
    verdicts = set(LocalExecutor(2).map(lambda _: judge_tests(trial(FIX).graded.tests).reason, range(TRIALS), lambda: None))
    after = held()
    assert verdicts == {"all 5 tests passed"}
    assert [most <= least + 3 for least, most in zip(before, after, strict=True)] == [True, True, True]
    client = connect()
    left = client.containers(all=True, filters={"label": f"{RUN}={run_id}"})
    client.close()
    assert len(left) <= 2
