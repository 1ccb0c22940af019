"""Evaluate: plans in, trials out. One trial from container to verdicts, and many of them through an executor, once each.

Owns retries of our own faults and idempotence by trial key; which trials are wanted and what follows is the loop's.
"""

from __future__ import annotations

import threading
import time
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol, TypeVar

from harness.attempts import attempts
from harness.budget import Amount, BudgetSpentError, Purse
from harness.errors import StoppedError, SuiteError, UnavailableError
from harness.evidence import Evidence
from harness.gates import judge
from harness.ledger.rows import given_up_rows, trial_rows
from harness.ledger.schema import CallRow, ConfirmationRow, TrialRow, VariantRow
from harness.ledger.subjects import Subjects
from harness.ports import AgentReport, Assignment, TrialEndedError
from harness.rollout import Change, Ending, LoadEvidence, Rollout
from harness.trial import Trial

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from harness.budget import Budget, Generations
    from harness.ledger.schema import Ledger
    from harness.ports import Agent, Delivered, Limits, Panel, Relay, Sandbox, Stylist
    from harness.rollout import Call
    from harness.skill import Variant
    from harness.task import Suite
    from harness.trial import TrialKey

RETRIES = 2  # further tries after a fault of ours, the same in both arms
MOST_IN_A_ROW = 3  # different tasks missing one after the other: then machine or service is at fault, not a single trial
T = TypeVar("T")
R = TypeVar("R")


class Executor(Protocol):
    """Where trials run."""

    def map(self, work: Callable[[T], R], items: Iterable[T], stop: Callable[[], None]) -> Iterator[R]:
        """Results as they complete; the first exception is raised once running work has ended, Ctrl-C after `stop`."""
        ...


class Progress(Protocol):
    """What is told to the person while trials run."""

    def stage(self, title: str, total: int) -> None:
        """A group of `total` trials begins."""
        ...

    def trial(self, row: TrialRow) -> None:
        """One trial is done (or was found in the ledger)."""
        ...

    def note(self, text: str) -> None:
        """Something worth a line."""
        ...


@dataclass(frozen=True, kw_only=True)
class Bench:
    """Everything that one trial needs, fixed for a campaign."""

    suite: Suite
    agent: Agent
    sandbox: Sandbox
    stylist: Stylist
    panel: Panel
    limits: Limits
    deliver: Callable[[Variant], Delivered]
    flags: Callable[[Change], tuple[str, ...]]
    relay: Relay | None = None


class Evaluator:
    """Runs planned trials, each at most once per campaign, and writes every one to the ledger before it is used."""

    def __init__(  # noqa: PLR0913  (the composition root's one call)
        self,
        bench: Bench,
        ledger: Ledger,
        executor: Executor,
        budget: Budget,
        progress: Progress,
        *,
        generations: Generations | None = None,
    ) -> None:
        """`generations`, where they have budgets, are asked beside the run's."""
        self._generations = generations
        self.bench = bench
        self._ledger = ledger
        self._executor = executor
        self._budget = budget
        self._progress = progress
        self._stopped = threading.Event()
        self._lock = threading.Lock()
        self._missing: set[str] = set()

    def run(self, title: str, plans: Iterable[tuple[TrialKey, Variant]]) -> Mapping[TrialKey, TrialRow]:
        """The planned trials' rows by key, in the plan's order; those in the ledger already are not run again.

        Raises:
            BudgetSpentError: a limit of the run is reached; finished trials are in the ledger.
            UnavailableError: trial after trial is missing; what is left was not run, and is run by the same command.
        """
        wanted = dict(plans)
        found = {key: self._ledger.find(TrialRow, str(key)) for key in wanted}
        todo = [(key, wanted[key]) for key, row in found.items() if row is None]
        self._progress.stage(title, len(todo))
        done = {key: row for key, row in found.items() if row is not None}
        try:
            for key, row in self._executor.map(lambda plan: self._one(*plan), todo, self.stop):
                done[key] = row
                self._progress.trial(row)
        except BudgetSpentError as error:
            tried = sum(self._ledger.find(TrialRow, str(key)) is not None for key in wanted)
            raise error.within(words=f"; {tried} of {len(wanted)} trials were made ({title})") from error
        return {key: done[key] for key in wanted}

    def stop(self) -> None:
        """Make running trials end now; what they come to is thrown away, but for its cost: a resumed run tries them again."""
        self._stopped.set()
        self.bench.sandbox.close()

    def _one(self, key: TrialKey, variant: Variant) -> tuple[TrialKey, TrialRow]:
        limits = self.bench.limits
        budgets = (*self._generation(key), self._budget)
        purse = Purse(budgets, Amount(usd=limits.usd or 0.0, tokens=limits.tokens, calls=limits.calls))
        try:
            trial = run_trial(self.bench, key, variant, purse)
            if self._stopped.is_set():
                self._ledger.add(*given_up_rows(self._ledger, str(key), trial.rollout.calls))
                raise StoppedError("interrupted")
            rows = trial_rows(trial, self._ledger.put_blob)
            self._ledger.add(*rows)
        except BudgetSpentError as error:
            self._ledger.add(*given_up_rows(self._ledger, str(key), error.calls))
            raise
        finally:
            purse.settle((), trials=1)
        row = next(row for row in rows if isinstance(row, TrialRow))
        self._require_working(row)
        return key, self._ledger.find(TrialRow, row.key) or row

    def _generation(self, key: TrialKey) -> tuple[Budget, ...]:
        """The budget of the generation that a trial is made for, if generations have any."""
        number = generation_of(key, self._ledger) if self._generations else None
        if self._generations is None or number is None:
            return ()
        self._generations.enter(str(key), number)
        return self._generations.of(str(key))

    def _require_working(self, row: TrialRow) -> None:
        """Go on only while a missing trial is an exception: an engine, disk or service that is gone would take all the others."""
        reasons = [row.reasons[gate] for gate, verdict in row.verdicts.items() if verdict == "missing"]
        with self._lock:
            self._missing = self._missing | {row.task} if reasons else set()
            if len(self._missing) < MOST_IN_A_ROW:
                return
        raise UnavailableError(
            f"trials of {MOST_IN_A_ROW} tasks in a row came to nothing through no fault of the agent ({reasons[0]}); "
            "no more are started; mend that, and the same command goes on from here"
        )


def generation_of(key: TrialKey, ledger: Ledger) -> int | None:
    """The generation that a trial is made for: of its confirmation, in both arms, or of the variant that is screened."""
    return _subjects(ledger).generation_of(str(key))


def spent_on(generation: int, ledger: Ledger) -> Amount:
    """What a generation has spent by the ledger: its proposal, and the trials made for it, failed and given up ones too."""
    subjects = _subjects(ledger)
    usd, tokens, calls = 0.0, 0, 0
    for row in ledger.rows(CallRow):
        if subjects.generation_of(row.subject) == generation:
            usd, tokens, calls = usd + (row.cost_usd or 0.0), tokens + row.usage.output, calls + row.usage.calls
    return Amount(usd=usd, tokens=tokens, calls=calls)


def _subjects(ledger: Ledger) -> Subjects:
    return Subjects(ledger.campaign, ledger.rows(VariantRow), ledger.rows(ConfirmationRow))


def run_trial(bench: Bench, key: TrialKey, variant: Variant, purse: Purse) -> Trial:
    """One trial; a fault of ours is tried again, up to RETRIES times, by code that does not look at the arm.

    Raises:
        BudgetSpentError: a limit is reached before the agent is started, or before its change is reviewed.
        HarnessError: only for a set-up that can never work.
    """
    task = bench.suite.by_id[key.task]
    spent: tuple[Call, ...] = ()
    for attempt in range(RETRIES + 1):
        work = Assignment(key=key, task=task, variant=variant, delivered=bench.deliver(variant), limits=bench.limits)
        try:
            purse.open()
            trial = _attempt(bench, work, purse)
        except BudgetSpentError as error:
            raise error.within(spent) from error
        spent += trial.rollout.calls
        if not any(verdict.passed is None for verdict in trial.verdicts) or attempt == RETRIES:
            break
    return replace(trial, rollout=replace(trial.rollout, calls=spent), attempts=attempt + 1, cost_usd=_cost(spent))


def _attempt(bench: Bench, work: Assignment, purse: Purse) -> Trial:
    clock = _Phases()
    report = _unstarted(work)
    change, evidence, dropped = Change(files=(), patch=b""), Evidence(), tuple[str, ...]()
    try:
        with (
            bench.relay.open(work) if bench.relay else nullcontext() as line,
            bench.sandbox.open(work.task, work.delivered.inject, work.key, line.mounts if line else ()) as box,
        ):
            clock.mark("open")
            report = bench.agent.run(box.workspace, replace(work, line=line))
            clock.mark("agent")
            change = box.take_out()
            clock.mark("take-out")
            if report.ending is Ending.FINISHED and change.empty:
                report = replace(report, ending=Ending.EMPTY_CHANGE, cause="the agent ended without changing a file")
            if report.ending is Ending.FINISHED:
                graded = box.grade(change)
                clock.mark("grade")
                style = bench.stylist.measure(work.task, change, graded.lint)
                evidence, dropped = Evidence(tests=graded.tests, style=style), graded.dropped
        clock.mark("close")
    except TrialEndedError as error:
        if report.ending is Ending.FINISHED:  # what the agent's own run ended with is never bettered by a later fault
            report = replace(report, ending=error.ending, cause=error.cause)
    except SuiteError as error:
        report = replace(report, ending=Ending.MISSING_GRADER, cause=str(error))
    calls = report.calls
    purse.settle(calls)
    if report.ending is Ending.FINISHED:
        try:
            reviewed = bench.panel.review(work.task, change, work.key)
        except BudgetSpentError as error:
            raise error.within(calls) from error
        clock.mark("review")
        evidence, calls = replace(evidence, review=reviewed.report), calls + reviewed.calls
    rollout = Rollout(
        change=change, transcript=report.transcript, calls=calls, ending=report.ending, cause=report.cause, load=report.load
    )
    return Trial(
        key=work.key,
        rollout=rollout,
        evidence=evidence,
        verdicts=judge(report.ending, report.cause, evidence),
        flags=bench.flags(change),
        events=attempts(report.transcript),
        dropped=dropped,
        cost_usd=_cost(calls),
        seconds=clock.phases,
    )


def _unstarted(work: Assignment) -> AgentReport:
    load = LoadEvidence(delivery=work.delivered.mode, loaded=False, how="the agent was not started")
    return AgentReport(ending=Ending.FINISHED, cause="", transcript="", calls=(), load=load)


def _cost(calls: tuple[Call, ...]) -> float | None:
    known = [call.cost_usd for call in calls if call.cost_usd is not None]
    return sum(known) if len(known) == len(calls) else None


class _Phases:
    """Seconds by phase of one trial, measured where they pass."""

    def __init__(self) -> None:
        self._last = time.monotonic()
        self._marks: list[tuple[str, float]] = []

    def mark(self, name: str) -> None:
        now = time.monotonic()
        self._marks.append((name, round(now - self._last, 4)))
        self._last = now

    @property
    def phases(self) -> tuple[tuple[str, float], ...]:
        return tuple(self._marks)
