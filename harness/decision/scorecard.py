"""Pairing: the raw table of outcomes, and the paired counts of one gate at one look.

Missing is None and never a fail; a pair with a missing side is left out, exactly as if it had never been run.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from fractions import Fraction
from typing import TYPE_CHECKING

from harness.decision.signflip import TaskDifference
from harness.errors import InputError
from harness.gates import Gate
from harness.trial import Arm

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What one trial of a comparison came to: per gate passed (True), failed (False) or missing (None).

    `repeat` orders a task's trials; only the order of the numbers counts. `flagged` marks a trial whose agent was seen
    attacking the judges: should a promotion rest on such trials of the variant, it does not stand.
    """

    arm: Arm
    task: str
    repeat: int
    tests: bool | None
    style: bool | None
    review: bool | None
    cause: str = ""
    flagged: bool = False

    def passed(self, gate: Gate) -> bool | None:
        """The verdict of one gate."""
        match gate:
            case Gate.TESTS:
                return self.tests
            case Gate.STYLE:
                return self.style
            case Gate.REVIEW:
                return self.review


class Reading(Enum):
    """How the table is read: as it is, or against the variant to see whether a promotion stands."""

    AS_IS = auto()
    MISSING_AGAINST_VARIANT = auto()  # the variant's missing count as fails, the baseline's as passes
    FLAGGED_FAIL = auto()  # the variant's flagged trials count as fails


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """The two trials of one task in one sweep; a side without a row in the table is None, and counts as missing."""

    task: str
    sweep: int
    baseline: Outcome | None
    variant: Outcome | None

    def read(self, gate: Gate, reading: Reading) -> tuple[bool | None, bool | None]:
        """(baseline passed, variant passed) on one gate."""
        baseline = self.baseline.passed(gate) if self.baseline else None
        variant = self.variant.passed(gate) if self.variant else None
        if reading is Reading.MISSING_AGAINST_VARIANT:
            return baseline is not False, variant is True
        if reading is Reading.FLAGGED_FAIL and self.variant and self.variant.flagged:
            return baseline, False
        return baseline, variant


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """All pairs of a comparison, by task and sweep; sweep j holds the j-th smallest repeat number of the table."""

    pairs: tuple[Pair, ...]
    sweeps: int

    @classmethod
    def of(cls, outcomes: Iterable[Outcome]) -> Table:
        """Pair the outcomes up; their order does not matter.

        Raises:
            InputError: there is no outcome at all, or two for the same arm, task and repeat.
        """
        rows: dict[tuple[str, int], dict[Arm, Outcome]] = {}
        for outcome in outcomes:
            sides = rows.setdefault((outcome.task, outcome.repeat), {})
            if outcome.arm in sides:
                raise InputError(f"two outcomes for {outcome.arm}, task {outcome.task}, repeat {outcome.repeat}; keep one")
            sides[outcome.arm] = outcome
        if not rows:
            raise InputError("the table holds no outcome; at least one trial of each arm is needed")
        sweep = {repeat: number for number, repeat in enumerate(sorted({repeat for _, repeat in rows}), start=1)}
        pairs = tuple(
            Pair(task=task, sweep=sweep[repeat], baseline=sides.get(Arm.BASELINE), variant=sides.get(Arm.VARIANT))
            for (task, repeat), sides in sorted(rows.items(), key=lambda row: row[0])
        )
        return cls(pairs=pairs, sweeps=len(sweep))

    def scorecard(self, gate: Gate, look: int, reading: Reading = Reading.AS_IS) -> Scorecard:
        """The paired counts of one gate over the first `look` sweeps."""
        tallies: dict[str, _Tally] = {}
        missing = [0, 0, 0]
        for pair in self.pairs:
            if pair.sweep > look:
                continue
            baseline, variant = pair.read(gate, reading)
            if baseline is None or variant is None:
                missing[0] += 1
                missing[1] += baseline is None
                missing[2] += variant is None
            else:
                tallies.setdefault(pair.task, _Tally()).add(baseline=baseline, variant=variant)
        pairs, missing_baseline, missing_variant = missing
        return Scorecard(
            gate=gate,
            tasks=tuple(tally.closed(task) for task, tally in tallies.items()),
            missing_pairs=pairs,
            missing_baseline=missing_baseline,
            missing_variant=missing_variant,
        )

    def scorecards(self, last: int, reading: Reading = Reading.AS_IS) -> Iterator[tuple[Scorecard, ...]]:
        """The scorecards of the three gates, look by look up to look `last`."""
        for look in range(1, last + 1):
            yield tuple(self.scorecard(gate, look, reading) for gate in Gate)

    def notes(self, looks: int) -> tuple[str, ...]:
        """What a reader of the decision should be told about the table's shape."""
        notes = []
        if self.sweeps > looks:
            beyond = sum(pair.sweep > looks for pair in self.pairs)
            notes.append(f"Left out, as beyond look {looks}: {beyond} of {len(self.pairs)} pairs.")
        counts: dict[str, int] = {}
        for pair in self.pairs:
            counts[pair.task] = counts.get(pair.task, 0) + 1
        short = [task for task, count in counts.items() if count < self.sweeps]
        if short:
            notes.append(f"{len(short)} of {len(counts)} tasks have fewer than {self.sweeps} repeats, first {short[0]}.")
        return tuple(notes)


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskScore:
    """One task's complete pairs on one gate: passes of each arm, and pairs the variant lost (baseline passed, variant not)."""

    task: str
    pairs: int
    baseline: int
    variant: int
    lost: int

    @property
    def difference(self) -> TaskDifference:
        """What the test sees of this task."""
        return TaskDifference(total=self.variant - self.baseline, pairs=self.pairs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scorecard:
    """One gate at one look: the tasks with at least one complete pair, and the count of pairs that are not complete."""

    gate: Gate
    tasks: tuple[TaskScore, ...]
    missing_pairs: int
    missing_baseline: int
    missing_variant: int

    @property
    def pairs(self) -> int:
        """All pairs, complete or not."""
        return self.missing_pairs + sum(task.pairs for task in self.tasks)

    @property
    def differences(self) -> tuple[TaskDifference, ...]:
        """The tasks' differences, in task order."""
        return tuple(task.difference for task in self.tasks)

    @property
    def baseline_rate(self) -> Fraction | None:
        """Mean over tasks of the baseline's passes per pair; None without a task."""
        return _mean([Fraction(task.baseline, task.pairs) for task in self.tasks])

    @property
    def variant_rate(self) -> Fraction | None:
        """The same of the variant."""
        return _mean([Fraction(task.variant, task.pairs) for task in self.tasks])

    @property
    def room(self) -> int:
        """m: tasks that the baseline failed at least once, so that a variant can win there."""
        return sum(task.baseline < task.pairs for task in self.tasks)


def _mean(rates: list[Fraction]) -> Fraction | None:
    return sum(rates, Fraction(0)) / len(rates) if rates else None


@dataclass(slots=True)
class _Tally:
    pairs: int = 0
    baseline: int = 0
    variant: int = 0
    lost: int = 0

    def add(self, *, baseline: bool, variant: bool) -> None:
        self.pairs += 1
        self.baseline += baseline
        self.variant += variant
        self.lost += baseline and not variant

    def closed(self, task: str) -> TaskScore:
        return TaskScore(task=task, pairs=self.pairs, baseline=self.baseline, variant=self.variant, lost=self.lost)
