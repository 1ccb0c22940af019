"""Mutants are proven bad by the task's own tests, in a real container."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from harness.config import load_config
from harness.review.planted import broken, good, planted
from harness.reviewing import Grading
from harness.suites.catalog import load_suite
from harness.testing import Notes

pytestmark = pytest.mark.docker


def test_a_mutant_is_taken_for_bad_only_where_its_tasks_own_tests_refuse_it(tmp_path: Path) -> None:
    folder = Path("task_suites/pocket")
    whole = load_suite(folder)
    task = replace(whole.tasks[0], samples=None)
    suite = replace(whole, tasks=(task,))
    config = load_config(None, {"suite": {"path": folder}, "output": {"state": tmp_path / "state"}, "executor": {"jobs": 1}})
    with ExitStack() as stack:
        grading = Grading(config, suite, Notes(), stack)
        assert not grading.fails(good(task))
        assert [grading.fails(change) for change in planted(task)] == [False, False]
        found = broken(task, admitted=True, fails=grading.fails)
        assert found is not None
        assert (found.kind, found.source, grading.fails(found)) == ("behaviour", "mutant proven by the tests", True)
