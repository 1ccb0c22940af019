"""Progress for people: a live line in a terminal, plain lines elsewhere (at most one a trial, no cursor codes), or nothing."""

from __future__ import annotations

import sys
import time
from contextlib import closing
from typing import TYPE_CHECKING

from harness.counted import counted
from harness.gates import Gate
from harness.printable import printable

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.progress import Progress, TaskID

    from harness.ledger.schema import TrialRow

MARKS = {"pass": "+", "fail": "-", "missing": "?"}


class Totals:
    """The run so far: trials, how fast, money, and what is missing. `clock` gives seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._began = clock, clock()
        self._trials, self._missing, self._usd, self._unknown = 0, 0, 0.0, 0

    def add(self, row: TrialRow) -> None:
        """One more trial."""
        self._trials += 1
        self._missing += "missing" in row.verdicts.values()
        self._usd += row.cost_usd or 0.0
        self._unknown += row.cost_usd is None

    def __str__(self) -> str:
        minutes = max(self._clock() - self._began, 1.0) / 60
        parts = [counted(self._trials, "trial"), f"{self._trials / minutes:.0f} a minute", f"${self._usd:.2f}"]
        parts += [f"{self._unknown} of unknown price"] if self._unknown else []
        parts += [f"{self._missing} missing"] if self._missing else []
        return ", ".join(parts)


class PlainProgress:
    """Lines on stderr, for logs."""

    def __init__(self) -> None:
        self._total, self._done, self._totals = 0, 0, Totals()

    def stage(self, title: str, total: int) -> None:
        """A group of trials begins; what was done before it stands beside its name."""
        before = f" (so far {self._totals})" if self._done else ""
        self._total, self._done = total, 0
        if total:
            _line(f"{title}: {counted(total, 'trial')}{before}")

    def trial(self, row: TrialRow) -> None:
        """One line: place in the group, gates, task, ending."""
        self._done += 1
        self._totals.add(row)
        _line(f"  [{self._done}/{self._total}] {described(row)}")

    def note(self, text: str) -> None:
        """One line."""
        _line(text)

    def close(self) -> None:
        """Nothing to put back."""


class LiveProgress:
    """A bar on stderr, for terminals; notes stay above it."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[rates]}"))
        times = (TimeElapsedColumn(), TimeRemainingColumn(), TextColumn("{task.fields[totals]}"))
        self._bar: Progress = Progress(*columns, *times, console=Console(stderr=True))
        self._bar.start()
        self._totals = Totals()
        self._task: TaskID | None = None
        self._passed: dict[str, list[bool]] = {}

    def stage(self, title: str, total: int) -> None:
        """A group of trials begins: a new bar takes the old one's place."""
        if self._task is not None:
            self._bar.remove_task(self._task)
        self._passed = {}
        self._task = self._bar.add_task(printable(title), total=total, rates="", totals="") if total else None

    def trial(self, row: TrialRow) -> None:
        """Move the bar, the group's running pass rates, and the run's totals."""
        self._totals.add(row)
        for gate in Gate:
            if row.verdicts[gate] != "missing":
                self._passed.setdefault(gate, []).append(row.verdicts[gate] == "pass")
        rates = "  ".join(f"{gate} {sum(seen) / len(seen):.0%}" for gate, seen in self._passed.items())
        if self._task is not None:
            self._bar.update(self._task, advance=1, rates=rates, totals=f"[{self._totals}]")

    def note(self, text: str) -> None:
        """A line above the bar."""
        self._bar.console.print(printable(text), markup=False, highlight=False)

    def close(self) -> None:
        """Leave the terminal as it was."""
        self._bar.stop()


class NoProgress:
    """Silence."""

    def stage(self, title: str, total: int) -> None:
        """Nothing."""

    def trial(self, row: TrialRow) -> None:
        """Nothing."""

    def note(self, text: str) -> None:
        """Nothing."""

    def close(self) -> None:
        """Nothing."""


def progress_for(*, quiet: bool) -> closing[PlainProgress | LiveProgress | NoProgress]:
    """What fits where stderr goes, closed on leaving the context."""
    if quiet:
        return closing(NoProgress())
    return closing(LiveProgress() if sys.stderr.isatty() else PlainProgress())


def described(row: TrialRow) -> str:
    """One trial on one line."""
    gates = " ".join(f"{gate}{MARKS[row.verdicts[gate]]}" for gate in Gate)
    ending = "" if row.ending == "finished" else f"  ({row.ending}: {row.cause})"
    return f"{gates}  {row.task}  {row.arm}{ending}"


def _line(text: str) -> None:
    sys.stderr.write(printable(text).replace("\n", " ") + "\n")
    sys.stderr.flush()
