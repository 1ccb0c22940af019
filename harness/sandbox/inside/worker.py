"""The process that runs the hidden tests: gives up its rights, then pytest, with a numbered record per event on a pipe.

In process, the agent's code shares it, so its records are claims; canaries and the exact id set test them. As a judge it has
stand-ins in that code's place, and only values come from elsewhere.
"""

from __future__ import annotations

import json
import linecache
import os
import sys
import sysconfig
import tempfile
import traceback
from importlib.metadata import Distribution
from pathlib import Path
from typing import Any, NoReturn

import pytest

from .judge import attach
from .standins import ENUMERATION
from .subject import become, prepare
from .wire import first_to_be_killed, write_all

WORKER, JUDGE = 1000, 1002
LONGEST_MESSAGE = 4000
GRADE = "/grade"


def run_tests(order: dict[str, Any], records: int, output: int, line: tuple[int, int] | None = None) -> NoReturn:
    """Become another user and run pytest; never returns. `order` names ini, tests, import path and pytest's further arguments.

    With a `line` to a subject (descriptors of requests and answers) this is the judge, which never imports the agent's code.
    """
    become(JUDGE if line else WORKER, output, {records, *(line or ())})
    prepare(order, project=line is None)
    sys.argv[:] = ["pytest"]
    recorder = Recorder(records)
    plugins: list[object] = [recorder]
    if line:
        attach(order, *line)
        plugins.append(Fitting())
    else:
        first_to_be_killed()
    code = pytest.main([*_chosen(order["plugins"]), *order["argv"]], plugins=plugins)
    recorder.leave(int(code))  # only where pytest never came to a session, as for a wrong argument


def _chosen(packages: list[str]) -> list[str]:
    """Options that load the plugins of the task's own packages, by the names that these give them; no others are loaded.

    They are looked for among the image's packages alone: what lies in the project may be the agent's.
    """
    site = [sysconfig.get_path("purelib")]
    found = [package for name in packages for package in Distribution.discover(name=name, path=site)]
    entries = [entry for package in found for entry in package.entry_points if entry.group == "pytest11"]
    return [word for entry in entries for word in ("-p", entry.name)]


class Fitting:
    """A pytest plugin that makes up for what stand-ins cannot do by themselves."""

    @pytest.fixture
    def tmp_path(self) -> Path:
        """A new folder that both users may use, since paths are plain values."""
        os.umask(0)
        folder = Path(tempfile.mkdtemp())
        folder.chmod(0o777)
        return folder

    def pytest_make_parametrize_id(self, val: object) -> str | None:
        """The id that pytest itself gives to a member of an enumeration."""
        return str(val) if getattr(type(val), "_fields", None) == ENUMERATION else None


class Recorder:
    """A pytest plugin that writes one numbered JSON line per fact."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._count = 0
        self._outcomes: dict[str, tuple[str, str]] = {}

    def say(self, **fact: str | int | list[str]) -> None:
        """Write one record."""
        line = json.dumps({"seq": self._count, **fact}, ensure_ascii=False)
        self._count += 1
        write_all(self._descriptor, f"{line}\n".encode("utf-8", "replace"))  # half a character would make it no JSON

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
