"""The block screen on dev: futility only, no error claim. Decides after each block whether a variant is worth more trials.

Blocks of five rollouts go through the dev tasks in one recorded order; the variant is held against the baseline's
cached counts. Constants are those of the measured rule (the decision notes, stage 2).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.decision import wording
from harness.errors import InputError
from harness.gates import Gate
from harness.trial import Arm

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from harness.decision.scorecard import Outcome

BLOCK_SIZE = 5
MOST_BLOCKS = 10
MOST_CONFIRMED = 2

_DROP_MEAN_UNDER = (0.0, 0.13, 0.27, 0.40, 0.53, 0.67, 0.80, 0.93, 1.07, 1.20)  # after blocks 1 to 10
_DROP_ANY_UNDER = -1.5
_SHARED_NOISE = 1.6  # variance of a sum over gates, in units of the gates' own: passing goes together across gates


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineCount:
    """The cached baseline on one dev task and gate: passes of its valid (not missing) trials."""

    task: str
    gate: Gate
    passes: int
    valid: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GateStanding:
    """One gate of the variant so far: valid trials, U (passes above expectation), V (its variance) and z = U / sqrt(V)."""

    gate: Gate
    trials: int
    excess: float
    variance: float

    @property
    def z(self) -> float:
        """Zero while nothing valid has been seen."""
        return self.excess / math.sqrt(self.variance) if self.variance else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenResult:
    """The standing after a block. `survived` once the last block is done and nothing dropped it."""

    block: int
    gates: tuple[GateStanding, ...]
    z_mean: float
    z_min: float
    dropped: bool
    reason: str

    @property
    def survived(self) -> bool:
        """Worth a confirmation, should there be a place."""
        return self.block == MOST_BLOCKS and not self.dropped

    @property
    def rank(self) -> float:
        """Survivors with more of this are confirmed first."""
        return self.z_mean + self.z_min / 2


def block_tasks(order: Sequence[str], block: int) -> tuple[tuple[str, int], ...]:
    """The (task, repeat) of each rollout of a block, both counted from 1: the next five of the order, cycling.

    Raises:
        InputError: there is no dev task, or no such block.
    """
    if not order or not 1 <= block <= MOST_BLOCKS:
        raise InputError(f"block {block} over {len(order)} dev tasks: a screen needs a task and has blocks 1 to {MOST_BLOCKS}")
    places = range(BLOCK_SIZE * (block - 1), BLOCK_SIZE * block)
    return tuple((order[place % len(order)], place // len(order) + 1) for place in places)


def count_baseline(outcomes: Iterable[Outcome]) -> tuple[BaselineCount, ...]:
    """The baseline's counts by task and gate from its cached dev trials; rows of the other arm are not looked at."""
    counts: dict[tuple[str, Gate], list[bool]] = {}
    for outcome in outcomes:
        for gate in Gate if outcome.arm is Arm.BASELINE else ():
            seen = counts.setdefault((outcome.task, gate), [])
            passed = outcome.passed(gate)
            if passed is not None:
                seen.append(passed)
    return tuple(
        BaselineCount(task=task, gate=gate, passes=sum(seen), valid=len(seen)) for (task, gate), seen in sorted(counts.items())
    )


def after_block(baseline: Sequence[BaselineCount], trials: Iterable[Outcome], block: int) -> ScreenResult:
    """The standing once `block` blocks are done, from all trials of the variant so far; missing verdicts are skipped.

    With s passes in the baseline's c valid trials of a task: p = (s + 2q) / (c + 2), q = (sum of s + 1) / (sum of c + 2);
    U = sum over the variant's trials of (x - p); V = sum over tasks of m v + m^2 v / (c + 3), v = p (1 - p), m trials;
    z_mean = sum of U / sqrt(1.6 sum of V), z_min = least U / sqrt(V). Nothing valid at all drops nobody.

    Raises:
        InputError: no such block, or a trial of a task that the baseline's counts do not list.
    """
    if not 1 <= block <= MOST_BLOCKS:
        raise InputError(f"a screen has blocks 1 to {MOST_BLOCKS}, not {block}")
    rows = tuple(trials)
    gates = tuple(_standing(gate, baseline, rows) for gate in Gate)
    noise = math.sqrt(_SHARED_NOISE * sum(gate.variance for gate in gates))
    z_mean = sum(gate.excess for gate in gates) / noise if noise else 0.0
    z_min = min(gate.z for gate in gates)
    dropped = noise > 0 and (z_mean < _DROP_MEAN_UNDER[block - 1] or z_min < _DROP_ANY_UNDER)
    return ScreenResult(
        block=block, gates=gates, z_mean=z_mean, z_min=z_min, dropped=dropped, reason=_reason(gates, block, dropped=dropped)
    )


def rank_survivors(screened: Mapping[str, ScreenResult]) -> tuple[str, ...]:
    """The survivors' names, best first; equal ranks in the order of their names."""
    survivors = [name for name, result in screened.items() if result.survived]
    return tuple(sorted(survivors, key=lambda name: (-screened[name].rank, name)))


def _standing(gate: Gate, baseline: Sequence[BaselineCount], trials: Sequence[Outcome]) -> GateStanding:
    counts = {count.task: count for count in baseline if count.gate is gate}
    overall = (sum(count.passes for count in counts.values()) + 1) / (sum(count.valid for count in counts.values()) + 2)
    seen: dict[str, list[bool]] = {}
    for trial in trials:
        passed = trial.passed(gate)
        if trial.task not in counts:
            raise InputError(f"the screen has no baseline count for task {trial.task} on {gate}; run the baseline there first")
        if passed is not None:
            seen.setdefault(trial.task, []).append(passed)
    excess = variance = 0.0
    for task, verdicts in seen.items():
        count, m = counts[task], len(verdicts)
        p = (count.passes + 2 * overall) / (count.valid + 2)
        v = p * (1 - p)
        excess += sum(verdicts) - m * p
        variance += m * v + m * m * v / (count.valid + 3)
    return GateStanding(gate=gate, trials=sum(map(len, seen.values())), excess=excess, variance=variance)


def _reason(gates: tuple[GateStanding, ...], block: int, *, dropped: bool) -> str:
    trials = BLOCK_SIZE * block
    worst = min(gates, key=lambda gate: gate.z)
    if not dropped:
        end = "it may be confirmed" if block == MOST_BLOCKS else "the screen goes on"
        return f"After {trials} dev trials it may still be better: {end}."
    if worst.z < _DROP_ANY_UNDER:
        which, shift = str(worst.gate), worst.excess / worst.trials
    else:
        which, shift = "the three gates together", sum(g.excess for g in gates) / sum(g.trials for g in gates)
    how = "less often than" if shift < 0 else "no more often than"
    return (
        f"Dropped after {trials} dev trials: {which} passed {how} with the baseline "
        f"({wording.points(shift, signed=True)}), so no holdout task was spent."
    )
