"""Doubles for tests, shipped with the product: small, honest implementations of ports. Nothing is patched anywhere."""

from __future__ import annotations

import hashlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from harness.gates import Gate
from harness.ledger.schema import TrialRow, UsageModel
from harness.ports import CommandResult, Graded, LintRun, ModelReply, Proposal, ToolRun, TrialEndedError
from harness.pytest_settings import pytest_settings
from harness.rollout import Call, Ending, Usage
from harness.sandbox.allowed import graded_trees, hidden_tree
from harness.sandbox.canaries import planted
from harness.sandbox.channel import Message
from harness.sandbox.evidence import test_report
from harness.skill import Variant
from harness.skill_io import with_text
from harness.suites.environment import Resolution
from harness.tree_io import write_tree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from harness.campaign import Rates
    from harness.ledger.schema import Ledger
    from harness.ports import Exchange, Json, ModelRequest, Mounted, ProposalRequest
    from harness.rollout import Change
    from harness.task import Task
    from harness.trial import TrialKey


_RECORDED = """\
import os, sys
import pytest
from harness.sandbox.inside.worker import Recorder
recorder = Recorder(os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT))
recorder.leave(int(pytest.main(sys.argv[2:], plugins=[recorder])))
"""


class LocalWorkspace:
    """A workspace that is a folder of this machine, without any container: for tests of agents, never for a real one."""

    def __init__(self, folder: Path, scratch: Path) -> None:
        """Work in `folder`; `scratch` is an existing folder that stands for the container's /tmp."""
        self.folder = folder
        self.commands: list[tuple[str, ...]] = []
        self._environment = {**os.environ, "TMPDIR": str(scratch)}

    def run(self, argv: Sequence[str], *, stdin: bytes = b"", seconds: float, idle_seconds: float | None = None) -> CommandResult:
        """Run one command in the folder; its output is kept whole. A command is taken to be silent."""
        self.commands.append(tuple(argv))
        started = time.monotonic()
        limit = seconds if idle_seconds is None else min(seconds, idle_seconds)
        with subprocess.Popen(
            argv,
            cwd=self.folder,
            env=self._environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        ) as process:
            try:
                output, exit_code = process.communicate(stdin, limit)[0], process.returncode
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                output, exit_code = process.communicate()[0], None
        return CommandResult(
            exit_code=exit_code,
            output=output,
            truncated=False,
            timed_out=exit_code is None,
            seconds=time.monotonic() - started,
            idle=exit_code is None and limit < seconds,
        )


class RecordedLine:
    """A trial's line to the model over which these exchanges have passed."""

    mounts: tuple[Mounted, ...] = ()

    def __init__(self, *exchanges: Exchange) -> None:
        self._exchanges = exchanges

    def finish(self) -> tuple[Exchange, ...]:
        """What passed."""
        return self._exchanges


class QueuedModel:
    """A model that gives prepared answers (content, stop reason) or raises prepared errors, in order, and keeps the requests."""

    def __init__(
        self, answers: Sequence[tuple[Sequence[Json], str] | Exception], *, cost_usd: float | None = 0.0, prompt: int = 10
    ) -> None:
        self.requests: list[ModelRequest] = []
        self._answers = iter(answers)
        self._cost = cost_usd
        self._prompt = prompt

    def send(self, request: ModelRequest) -> ModelReply:
        """The next prepared answer, booked as `prompt` tokens in and 5 out."""
        self.requests.append(request)
        answer = next(self._answers)
        if isinstance(answer, Exception):
            raise answer
        content, stop_reason = answer
        usage = Usage(input=self._prompt, output=5, calls=1)
        call = Call(role=request.role, model=request.model, usage=usage, cost_usd=self._cost, request_id="req_scripted")
        return ModelReply(call=call, stop_reason=stop_reason, content=content)


class DrawnTrials:
    """An evaluator whose trials are drawn from known rates instead of run: whole campaigns without containers or models.

    Draws depend on seed and trial key alone, so order and restarts do not matter. `interrupt_after` raises KeyboardInterrupt
    once so many trials were drawn, as Ctrl-C would.
    """

    def __init__(self, ledger: Ledger, rates: Callable[[Variant], Rates], *, seed: int = 1, interrupt_after: int = -1) -> None:
        self.drawn = 0
        self._ledger = ledger
        self._rates = rates
        self._seed = seed
        self._left = interrupt_after

    def run(self, title: str, plans: Iterable[tuple[TrialKey, Variant]]) -> Mapping[TrialKey, TrialRow]:  # noqa: ARG002
        """The rows of the planned trials by key; those in the ledger already are not drawn again."""
        rows: dict[TrialKey, TrialRow] = {}
        try:
            for key, variant in plans:
                rows[key] = self._ledger.find(TrialRow, str(key)) or self._drawn(key, variant)
        finally:
            self._ledger.add(*rows.values())
        return rows

    def _drawn(self, key: TrialKey, variant: Variant) -> TrialRow:
        if self._left == 0:
            raise KeyboardInterrupt
        self._left -= 1
        self.drawn += 1
        passed = [_uniform(self._seed, str(key), gate) < rate for gate, rate in zip(Gate, self._rates(variant), strict=True)]
        return TrialRow(
            key=str(key),
            stage=key.stage,
            confirmation=key.confirmation,
            arm=key.arm,
            variant=key.variant,
            task=key.task,
            repeat=key.repeat,
            ending=Ending.FINISHED,
            cause="",
            verdicts={gate: "pass" if won else "fail" for gate, won in zip(Gate, passed, strict=True)},
            reasons=dict.fromkeys(Gate, "drawn"),
            loaded=True,
            load={},
            usage=UsageModel(),
            cost_usd=0.0,
            seconds={},
            flags=(),
            dropped=(),
            change_blob="",
            transcript_blob="",
            evidence_blob="",
        )


class ScriptedModel:
    """A model that answers by a function of the request: (stop reason, text), or None for a fault of the service."""

    def __init__(self, answer: Callable[[ModelRequest], tuple[str, str] | None]) -> None:
        self._answer = answer
        self.requests: list[ModelRequest] = []

    def send(self, request: ModelRequest) -> ModelReply:
        """Record the request and answer it."""
        self.requests.append(request)
        answer = self._answer(request)
        if answer is None:
            raise TrialEndedError(Ending.MISSING_API, "scripted: the service is down")
        usage = Usage(input=100, output=10, calls=1)
        call = Call(role=request.role, model=request.model, usage=usage, cost_usd=0.001, request_id=f"req_{len(self.requests)}")
        return ModelReply(call=call, stop_reason=answer[0], content=[{"type": "text", "text": answer[1]}])


class ScriptedProposer:
    """A proposer that appends one given sentence a generation to the baseline; None stands for an unusable answer."""

    def __init__(self, sentences: Sequence[str | None]) -> None:
        self._sentences = sentences
        self.requests: list[ProposalRequest] = []

    def propose(self, request: ProposalRequest) -> Proposal:
        """The generation's sentence as a variant."""
        self.requests.append(request)
        sentence = self._sentences[request.generation - 1]
        if sentence is None:
            return Proposal(variant=None, find="", replace="", problem="unusable: empty answer", calls=())
        last = request.baseline.skill.text.rstrip("\n").rpartition("\n")[2]
        replaced = f"{last}\n{sentence}"
        skill = with_text(request.baseline.skill, request.baseline.skill.text.replace(last, replaced), "proposal")
        variant = Variant(
            skill=skill, parent=request.baseline.id, operator=request.operator, rationale=sentence, generation=request.generation
        )
        return Proposal(variant=variant, find=last, replace=replaced, problem="", calls=())


class LocalLab:
    """A lab without containers: hidden tests and canaries run by this machine's pytest, nothing is linted. For tests alone.

    `packages` are the requirements that can be resolved; any other is refused in pip's words. Where there are several `pythons`,
    the last cannot be had; whichever is chosen, this machine's runs.
    """

    def __init__(
        self,
        packages: Mapping[str, str] | None = None,
        *,
        pythons: tuple[str, ...] = ("3.11",),
        chance: Callable[[int], random.Random] = random.Random,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._chance, self._clock = chance, clock
        self.pythons = pythons
        self.provided: list[tuple[str, ...]] = []
        self.graded = 0
        self._packages = dict(packages or {})

    def has(self, python: str) -> bool:
        """All but the last."""
        return python != self.pythons[-1]

    def resolve(self, requirements: tuple[str, ...], constraints: tuple[str, ...], python: str) -> Resolution:  # noqa: ARG002
        """The known packages' versions."""
        unknown = [item for item in requirements if item not in self._packages]
        if unknown:
            return Resolution(pins=None, said=f"ERROR: No matching distribution found for {unknown[0]}\n")
        return Resolution(pins=tuple(self._packages[item] for item in requirements))

    def provide(self, task: Task) -> None:
        """Kept; nothing is installed."""
        self.provided.append(task.requirements)

    def grade(self, task: Task, change: Change) -> Graded:
        """Run pytest in a process of its own."""
        self.graded += 1
        tests = planted(hidden_tree(task), self._chance(self.graded))
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write_tree(folder / "project", graded_trees(task, change).project)
            write_tree(folder / "hidden", tests.tree)
            (folder / "pytest.ini").write_text(pytest_settings(task.base).ini, encoding="utf-8")
            started = self._clock()
            status, output = self._pytest(folder, task)
            records = (folder / "records").read_bytes() if (folder / "records").exists() else b""
        seconds = self._clock() - started
        head: Json = {
            "kind": "tests",
            "status": status,
            "seconds": seconds,
            "oom": 0,
            "records": len(records),
            "truncated": False,
        }
        report = test_report(Message(head=head, body=records + output), task.expected, tests.items, task.tests_seconds)
        nothing = ToolRun(exit_code=0, stdout=b"[]", stderr=b"")
        lint = LintRun(version="", base_check=nothing, base_format=nothing, after_check=nothing, after_format=nothing)
        return Graded(tests=report, lint=lint)

    def _pytest(self, folder: Path, task: Task) -> tuple[int | None, bytes]:
        """The exit code, None at the time limit, and the output."""
        path = [str(folder / "project" / part) for part in pytest_settings(task.base).import_path]
        path.append(str(Path(__file__).parents[1]))  # for the recorder
        words = ["-c", "../pytest.ini", "--rootdir=.", "--confcutdir=.", "-p", "no:cacheprovider", "--import-mode=importlib"]
        words += ["--capture=no", "-q", "--assert=plain", "."]
        environment = {
            "PATH": "/usr/bin:/bin",
            "PYTHONPATH": os.pathsep.join(path),
            "PYTHONDONTWRITEBYTECODE": "1",
            "LANG": "C.UTF-8",
        }
        environment |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        command = [sys.executable, "-c", _RECORDED, str(folder / "records"), *words]
        with (folder / "output").open("wb") as output:
            try:
                done = subprocess.run(
                    command,
                    cwd=folder / "hidden",
                    env=environment,
                    stdout=output,
                    stderr=output,
                    check=False,
                    timeout=task.tests_seconds,
                )
            except subprocess.TimeoutExpired:
                return None, b""
        return done.returncode, (folder / "output").read_bytes()


class Notes:
    """A progress that keeps what it is told."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def stage(self, title: str, total: int) -> None:
        """Kept as a note."""
        self.notes.append(f"{title}: {total}")

    def trial(self, row: TrialRow) -> None:
        """Kept as a note."""
        self.notes.append(row.key)

    def note(self, text: str) -> None:
        """Kept."""
        self.notes.append(text)


def _uniform(*parts: object) -> float:
    digest = hashlib.sha256("|".join(str(part) for part in parts).encode()).digest()
    return int.from_bytes(digest[:7]) / (1 << 56)
