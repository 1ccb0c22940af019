"""The worker that runs the hidden tests: gives up its rights, then pytest in process, a numbered record per event on a pipe.

Everything here shares a process with the agent's code, so its records are claims; canaries and the exact id set test them.
"""

from __future__ import annotations

import json
import linecache
import os
import sys
import sysconfig
import traceback
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from .wire import first_to_be_killed, write_all

if TYPE_CHECKING:
    from collections.abc import Sequence

WORKER = 1000
LONGEST_MESSAGE = 4000
GRADE = "/grade"
SCRATCH = "/tmp"  # noqa: S108  (a tmpfs of this container alone)


def run_tests(order: dict[str, Any], records: int, output: int) -> NoReturn:
    """Become the worker and run pytest; never returns. `order` names ini, tests, import path and pytest's further arguments."""
    first_to_be_killed()
    os.setgroups([])
    os.setgid(WORKER)
    os.setuid(WORKER)
    os.setsid()
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.close(output)
    os.environ.clear()
    os.environ.update(order["environment"])
    os.chdir(SCRATCH)
    sys.dont_write_bytecode = True
    sys.path[:] = _import_path(order["import_path"])
    sys.argv[:] = ["pytest"]
    recorder = Recorder(records)
    code = pytest.main(order["argv"], plugins=[recorder])
    recorder.leave(int(code))  # only where pytest never came to a session, as for a wrong argument


def _import_path(project: Sequence[str]) -> list[str]:
    """The standard library first, then the project, then installed packages: a project can shadow neither pytest nor json."""
    site = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    return [*(path for path in sys.path if path not in site), *project, *(path for path in sys.path if path in site)]


class Recorder:
    """A pytest plugin that writes one numbered JSON line per fact."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._count = 0
        self._outcomes: dict[str, tuple[str, str]] = {}

    def say(self, **fact: str | int | list[str]) -> None:
        """Write one record."""
        line = json.dumps({"seq": self._count, **fact})
        self._count += 1
        write_all(self._descriptor, f"{line}\n".encode("ascii"))

    def leave(self, code: int) -> NoReturn:
        """Say the exit code and end at once: what a test left behind, threads or exit handlers, does not hold up the answer."""
        self.say(kind="end", code=code)
        sys.stdout.flush()
        os._exit(code)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, exitstatus: int) -> None:
        """All is known now; pytest's own farewell takes longer than many a suite."""
        self.leave(int(exitstatus))

    def pytest_itemcollected(self, item: pytest.Item) -> None:
        """Describe failures briefly: dozens of canaries fail in every run."""
        item.repr_failure = brief  # type: ignore[method-assign,assignment]

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A module that cannot be collected."""
        if report.failed:
            self.say(kind="uncollected", id=report.nodeid, message=report.longreprtext[-LONGEST_MESSAGE:])

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """What is about to run."""
        self.say(kind="collected", ids=[item.nodeid for item in session.items])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """One phase of one test; its record follows its teardown."""
        outcome = _outcome(report)
        if outcome:
            self._outcomes[report.nodeid] = (outcome, report.longreprtext[-LONGEST_MESSAGE:])
        if report.when == "teardown":
            found, message = self._outcomes.pop(report.nodeid, ("error", "no outcome"))
            self.say(kind="test", id=report.nodeid, outcome=found, message=message)


def brief(failure: pytest.ExceptionInfo[BaseException]) -> str:
    """Where a test failed, in the files of this grading, and the exception's own words."""
    frames = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(failure.tb)]
    places = [
        f"{os.path.relpath(name, GRADE)}:{line}: {linecache.getline(name, line).strip()}"
        for name, line in frames
        if name.startswith(GRADE)
    ]
    return "\n".join([*places[-3:], failure.exconly()])


def _outcome(report: pytest.TestReport) -> str:
    """The outcome that a phase decides, or nothing: a good set-up or teardown changes none."""
    if report.failed:
        return "failed" if report.when == "call" else "error"
    if hasattr(report, "wasxfail"):
        return "xfailed" if report.skipped else "xpassed"
    if report.skipped:
        return "skipped"
    return "passed" if report.when == "call" else ""
