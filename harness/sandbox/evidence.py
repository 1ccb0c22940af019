"""From a grading container's answers to evidence: everything it says is checked here, and what is malformed is a fail in words.

Never raises for what a container said: absent, unreadable or contradictory evidence is "no evidence", not missing. Whether
unreadable records are our own fault, a run with the reference shows; `unreadable` tells which those are.

One policy for what a test leaves behind, the same in both arms: the process ends with pytest's last word, whatever threads and
children still run. One that does not get there is killed at the limit; its results are kept, and the tests gate fails.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from harness.evidence import UNCOLLECTED, TestReport, TestResult
from harness.ports import ToolRun

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from harness.sandbox.channel import Message

MOST_EXTRA = 1000
MOST_UNCOLLECTED = 20  # modules that a problem names
_UNREADABLE = "no evidence: a record cannot be read"


class _Said(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Ready(_Said):
    """The grader is waiting for its order."""

    kind: Literal["ready"]
    pytest: str = Field(max_length=40)


class LintRunSaid(_Said):
    """One linter run: exit code, sizes of stdout and stderr in the body."""

    code: int
    sizes: list[Annotated[int, Field(ge=0)]] = Field(min_length=2, max_length=2)


class LintSaid(_Said):
    """All linter runs, in the order asked for."""

    kind: Literal["lint"]
    runs: list[LintRunSaid]


class TestsSaid(_Said):
    """The worker's end: exit code (minus a signal), None at the time limit; seconds; kills for memory; size of the records."""

    __test__ = False

    kind: Literal["tests"]
    status: int | None
    seconds: float = Field(ge=0, allow_inf_nan=False)
    oom: int = Field(ge=0)
    records: int = Field(ge=0)
    truncated: bool


class _Collected(_Said):
    seq: int
    kind: Literal["collected"]
    ids: list[str]


class _Uncollected(_Said):
    seq: int
    kind: Literal["uncollected"]
    id: str
    message: str


class _Test(_Said):
    seq: int
    kind: Literal["test"]
    id: str
    outcome: Literal["passed", "failed", "skipped", "xfailed", "xpassed", "error"]
    message: str


class _End(_Said):
    seq: int
    kind: Literal["end"]
    code: int


_Fact = _Collected | _Uncollected | _Test | _End
_RECORD: TypeAdapter[_Fact] = TypeAdapter(Annotated[_Fact, Field(discriminator="kind")])


def tool_runs(message: Message) -> tuple[ToolRun, ...]:
    """The linter's runs. Raises ValueError: nothing of the agent has run yet, so the caller can find out whose fault it is."""
    said = LintSaid.model_validate(message.head)
    sizes = [size for run in said.runs for size in run.sizes]
    if sum(sizes) != len(message.body):
        raise ValueError("the sizes of the linter's output do not add up")
    parts = iter(_cut(message.body, sizes))
    return tuple(ToolRun(exit_code=run.code, stdout=next(parts), stderr=next(parts)) for run in said.runs)


def test_report(message: Message, expected: tuple[str, ...], canaries: Mapping[str, int], seconds: float) -> TestReport:
    """The tests' report from the supervisor's last message.

    `canaries` is the number of items of each canary function, `seconds` the limit that was set.
    """
    try:
        said = TestsSaid.model_validate(message.head)
    except ValidationError as error:
        return no_evidence(
            expected, sum(canaries.values()), f"no evidence: the grader's report cannot be read: {_first_line(error)}"
        )
    output = message.body[said.records :].decode("utf-8", "replace")
    found, problem = _records(message.body[: said.records])
    tests = [record for record in found if isinstance(record, _Test)]
    real = tuple(
        TestResult(id=test.id, outcome=test.outcome, message=test.message) for test in tests if _function(test.id) not in canaries
    )
    planted = [test for test in tests if _function(test.id) in canaries]
    failed = [test for test in planted if test.outcome in {"failed", "error"}]  # a fixture that the change broke is an error
    complete = Counter(_function(test.id) for test in planted) == canaries
    return TestReport(
        expected=expected,
        tests=real[: len(expected) + MOST_EXTRA],
        canaries=sum(canaries.values()),
        canaries_failed=len(failed) if complete else 0,
        exit_code=said.status,
        problem=_limit(said, found, seconds) or problem or _ending(said, found) or _contradiction(found),
        seconds=said.seconds,
        output=output,
    )


test_report.__test__ = False  # type: ignore[attr-defined]  # its name is no test's


def unreadable(report: TestReport) -> bool:
    """Whether the report is no evidence because its records could not be read."""
    return report.problem.startswith(_UNREADABLE)


def no_evidence(expected: tuple[str, ...], canaries: int, problem: str, output: str = "") -> TestReport:
    """A report that holds nothing but the reason why."""
    return TestReport(
        expected=expected, tests=(), canaries=canaries, canaries_failed=0, exit_code=None, problem=problem, output=output
    )


def _records(lines: bytes) -> tuple[list[_Fact], str]:
    """All records; or none, and where the first one begins that is none."""
    found: list[_Fact] = []
    start = 0
    for line in lines.splitlines(keepends=True):
        try:
            found.append(_RECORD.validate_json(line))
        except ValidationError as error:
            return [], f"{_UNREADABLE} (at byte {start}): {_first_line(error)}"
        start += len(line)
    return found, ""


def _limit(said: TestsSaid, found: list[_Fact], seconds: float) -> str:
    if said.oom:
        return "out of memory while the tests ran"
    if said.status is not None:
        return ""
    collected = [len(record.ids) for record in found if isinstance(record, _Collected)]
    if collected == [sum(isinstance(record, _Test) for record in found)]:
        return f"finished but did not exit: all {collected[0]} tests had ended, and their process was killed after {seconds:g} s"
    return f"timed out after {seconds:g} s"


def _ending(said: TestsSaid, found: list[_Fact]) -> str:
    """The words for test modules that cannot be imported, and for a worker that did not come to its own end."""
    uncollected = [record for record in found if isinstance(record, _Uncollected)]
    if uncollected:
        names = ", ".join(dict.fromkeys(record.id.partition("::")[0] for record in uncollected[:MOST_UNCOLLECTED]))
        return f"{UNCOLLECTED}{names}: {uncollected[0].message.strip()[-600:]}"
    if not any(isinstance(record, _End) for record in found):
        return f"no evidence: the test process ended before its report (status {said.status})"
    return ""


def _contradiction(found: list[_Fact]) -> str:
    if [record.seq for record in found] != list(range(len(found))):
        return "no evidence: records are missing or out of order"
    collected = [record.ids for record in found if isinstance(record, _Collected)]
    ran = [record.id for record in found if isinstance(record, _Test)]
    if len(collected) > 1 or (collected and sorted(collected[0]) != sorted(ran)):
        return "no evidence: the tests that ran are not those that were collected"
    return ""


def _function(test: str) -> str:
    return test.partition("[")[0]


def _cut(body: bytes, sizes: list[int]) -> Iterator[bytes]:
    start = 0
    for size in sizes:
        yield body[start : start + size]
        start += size


def _first_line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]
