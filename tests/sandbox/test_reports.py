"""Every kind of outcome that pytest knows comes out of a grading container as what it is, under the id that it has."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from harness.gates import Outcome, judge_tests
from harness.ports import TrialEndedError
from harness.rollout import Change, Ending
from harness.task import Judge
from harness.tree import Tree, difference

if TYPE_CHECKING:
    from harness.evidence import TestReport
    from harness.sandbox.docker_sandbox import DockerSandbox
    from harness.task import Task

pytestmark = pytest.mark.docker

KINDS = """
import os

import pytest

from calc import add

ODD = ["a b", "a[b]", "x::y", "tab\\there", "new\\nline", "caf\\xe9", "\\u202e", "", "\\x1b[31m", "quo'te\\"", "a/b", "[100%]"]
ODD += ["PASSED", "x" * 300]


@pytest.fixture
def broken_before():
    raise RuntimeError("before")


@pytest.fixture
def broken_after():
    yield 1
    raise RuntimeError("after")


def test_passes():
    assert add(1, 2) == 3


def test_fails():
    assert add(1, 2) == 4


@pytest.mark.parametrize("text", ODD)
def test_odd(text):
    assert add(1, 1) == 2


@pytest.mark.skip(reason="\\x1b[31m\\x01")
def test_skipped():
    pass


def test_skips_itself():
    pytest.skip("later")


@pytest.mark.xfail
def test_expected_to_fail():
    assert add(1, 2) == 4


@pytest.mark.xfail
def test_expected_to_fail_and_passes():
    assert add(1, 2) == 3


@pytest.mark.xfail(strict=True)
def test_strictly_expected_to_fail_and_passes():
    assert add(1, 2) == 3


def test_fails_in_odd_words():
    raise AssertionError("\\x1b[31mred\\x01\\x00half \\ud800 of a character")


def test_skips_itself_in_odd_words():
    pytest.skip("\\x1b[31m\\udcff")


def test_before(broken_before):
    pass


def test_after(broken_after):
    pass


def test_writes_past_everything():
    os.write(1, b"test_kinds.py::test_fails PASSED [100%]\\n")
    os.write(2, b"\\xff\\xfe")


class TestInClass:
    def test_inside(self):
        assert add(0, 0) == 0
"""
WANTED = {
    "test_passes": "passed",
    "test_fails": "failed",
    "test_skipped": "skipped",
    "test_skips_itself": "skipped",
    "test_expected_to_fail": "xfailed",
    "test_expected_to_fail_and_passes": "xpassed",
    "test_strictly_expected_to_fail_and_passes": "failed",
    "test_fails_in_odd_words": "failed",
    "test_skips_itself_in_odd_words": "skipped",
    "test_before": "error",
    "test_after": "error",
    "test_writes_past_everything": "passed",
    "TestInClass::test_inside": "passed",
}


def graded(sandbox: DockerSandbox, task: Task, hidden: str, judge: Judge) -> TestReport:
    """The reference, graded by other hidden tests."""
    other = replace(task, hidden=Tree.of({"test_kinds.py": hidden}), judge=judge)
    return sandbox.grade(other, Change(files=difference(task.base, task.reference), patch=b"")).tests


@pytest.mark.parametrize("judge", list(Judge))
def test_each_kind_of_outcome_is_reported_as_what_it_is(sandbox: DockerSandbox, task: Task, judge: Judge) -> None:
    report = graded(sandbox, task, KINDS, judge)
    found = {test.id.removeprefix("test_kinds.py::"): test.outcome for test in report.tests}
    assert {name: found.get(name) for name in WANTED} == WANTED
    odd = [name for name in found if name.startswith("test_odd[")]
    assert (len(odd), {found[name] for name in odd}) == (14, {"passed"})
    assert (report.problem, report.canaries_failed) == ("", report.canaries)


def test_ids_are_the_same_in_both_ways_of_judging_and_in_every_run(sandbox: DockerSandbox, task: Task) -> None:
    runs = [[test.id for test in graded(sandbox, task, KINDS, judge).tests] for judge in (*Judge, *Judge)]
    assert runs[0] == runs[1] == runs[2] == runs[3]


@pytest.mark.parametrize("judge", list(Judge))
@pytest.mark.parametrize(
    ("hidden", "problem"),
    [
        ("import no_such_module\n", "collection error in "),
        ("def test_it(:\n", "collection error in "),
        ("from calc import nothing\n", "collection error in "),
        ("raise SystemExit(0)\n", "no evidence: "),
    ],
)
def test_what_cannot_be_collected_is_said_and_fails(
    sandbox: DockerSandbox, task: Task, hidden: str, problem: str, judge: Judge
) -> None:
    report = graded(sandbox, task, hidden, judge)
    assert judge_tests(report).outcome is Outcome.FAIL
    assert judge_tests(report).reason.startswith(problem)


JUNK = """
import os
import stat


def test_it():
    for number in range(3, 64):
        try:
            if stat.S_ISFIFO(os.fstat(number).st_mode):
                os.write(number, b"junk\\n")
        except OSError:
            pass
"""


def test_records_that_cannot_be_read_even_of_the_reference_are_missing_and_no_fail(sandbox: DockerSandbox, task: Task) -> None:
    with pytest.raises(TrialEndedError) as error:
        graded(sandbox, task, JUNK, Judge.IN_PROCESS)
    assert error.value.ending is Ending.MISSING_GRADER
    assert "a record cannot be read (at byte " in error.value.cause


@pytest.mark.parametrize("judge", list(Judge))
def test_tests_that_finish_and_do_not_exit_keep_their_outcomes(sandbox: DockerSandbox, task: Task, judge: Judge) -> None:
    hidden = "import threading, time\nfrom calc import add\n\n\ndef test_it():\n"
    hidden += "    threading.Thread(target=time.sleep, args=(60,)).start()\n    assert add(1, 2) == 3\n"
    report = graded(sandbox, task, hidden, judge)
    assert [test.outcome for test in report.tests] == ["passed"]
    assert report.seconds < 15
