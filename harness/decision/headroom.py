"""What the baseline's own trials say before money is spent: room on each gate, flaky tasks, missing share, next step."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING

from harness.decision import wording
from harness.decision.rules import Rules, Saturated, best_p
from harness.gates import Gate
from harness.trial import Arm

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from harness.decision.scorecard import Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Headroom:
    """One gate: tasks with a valid trial, mean pass rate over them (None without one), and counts.

    `room` (m) counts tasks failed at least once, `flaky` tasks both passed and failed, `missing` trials without a
    verdict of all `trials`; `best_p` is the p of a variant that passes everything, `saturated` says it is not enough.
    """

    gate: Gate
    tasks: int
    rate: Fraction | None
    room: int
    flaky: int
    trials: int
    missing: int
    best_p: Fraction
    saturated: bool


class NextStep(StrEnum):
    """Whether a confirmation can be worth its cost."""

    GO = "go"
    SWEEP_AGAIN = "sweep_again"  # one sweep cannot tell a saturated gate: run another of the baseline
    BLOCKED = "blocked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Preflight:
    """The three gates' headroom over the baseline's sweeps so far, the next step, and its reason in a sentence."""

    gates: tuple[Headroom, ...]
    sweeps: int
    next_step: NextStep
    reason: str

    @property
    def has_room(self) -> bool:
        """Whether every gate can be beaten, by what these sweeps show."""
        return not any(gate.saturated for gate in self.gates)


def preflight(outcomes: Iterable[Outcome], rules: Rules) -> Preflight:
    """Look at the baseline's holdout sweeps; rows of the other arm are not looked at.

    While a gate is saturated and fewer than `rules.looks` sweeps were run, another sweep is the answer; then it is
    blocked, unless the rules let a saturated gate through as non-inferior (which this leaves to the confirmation).
    """
    rows = [outcome for outcome in outcomes if outcome.arm is Arm.BASELINE]
    gates = tuple(_headroom(gate, rows, rules) for gate in Gate)
    sweeps = len({row.repeat for row in rows})
    saturated = [gate for gate in gates if gate.saturated]
    if not saturated:
        step, reason = NextStep.GO, "Every gate leaves room to be beaten."
    elif sweeps < rules.looks:
        step = NextStep.SWEEP_AGAIN
        reason = f"After {sweeps} of {rules.looks} baseline sweeps too little room is seen on {_names(saturated)}."
    elif rules.saturated is Saturated.NON_INFERIOR:
        step, reason = NextStep.GO, f"Little room on {_names(saturated)}: by the relaxed rule it may pass as not worse."
    else:
        step = NextStep.BLOCKED
        reason = wording.blocked([(gate.gate, gate.room, gate.tasks) for gate in saturated], rules)
    return Preflight(gates=gates, sweeps=sweeps, next_step=step, reason=reason)


def _headroom(gate: Gate, rows: Sequence[Outcome], rules: Rules) -> Headroom:
    seen: dict[str, list[bool]] = {}
    for row in rows:
        passed = row.passed(gate)
        if passed is not None:
            seen.setdefault(row.task, []).append(passed)
    rates = [Fraction(sum(verdicts), len(verdicts)) for verdicts in seen.values()]
    room = sum(rate < 1 for rate in rates)
    return Headroom(
        gate=gate,
        tasks=len(rates),
        rate=sum(rates, Fraction(0)) / len(rates) if rates else None,
        room=room,
        flaky=sum(0 < rate < 1 for rate in rates),
        trials=len(rows),
        missing=len(rows) - sum(map(len, seen.values())),
        best_p=best_p(room),
        saturated=rules.is_saturated(room),
    )


def _names(gates: Sequence[Headroom]) -> str:
    return wording.listed(gate.gate for gate in gates)
