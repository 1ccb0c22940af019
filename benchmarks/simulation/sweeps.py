"""From arrays of verdicts to what the decision code reads: outcomes, dev counts, and scorecards look by look.

The scorecards are counted by numpy instead of row by row; a test holds that they equal those of `Table` over the same outcomes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from harness.decision.scorecard import Outcome, Reading, Scorecard, TaskScore
from harness.decision.screen import BaselineCount
from harness.gates import Gate
from simulation.worlds import FAIL, MISSING, PASS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from harness.trial import Arm

_VERDICT = {PASS: True, FAIL: False, MISSING: None}


def outcomes(arm: Arm, tasks: Sequence[str], verdicts: NDArray[np.int8]) -> Iterator[Outcome]:
    """The rows of a (repeats, tasks, gates) array."""
    for repeat, sweep in enumerate(verdicts.tolist(), start=1):
        for task, gates in zip(tasks, sweep, strict=True):
            yield outcome(arm, task, repeat, gates)


def outcome(arm: Arm, task: str, repeat: int, gates: Sequence[int]) -> Outcome:
    """One trial's row."""
    tests, style, review = (_VERDICT[verdict] for verdict in gates)
    return Outcome(arm=arm, task=task, repeat=repeat, tests=tests, style=style, review=review)


def baseline_counts(tasks: Sequence[str], verdicts: NDArray[np.int8]) -> tuple[BaselineCount, ...]:
    """The dev cache of the screen."""
    passes, valid = (verdicts == PASS).sum(axis=0).tolist(), (verdicts != MISSING).sum(axis=0).tolist()
    return tuple(
        BaselineCount(task=task, gate=gate, passes=passes[at][place], valid=valid[at][place])
        for at, task in enumerate(tasks)
        for place, gate in enumerate(Gate)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweeps:
    """Both arms of a comparison, (looks, tasks, gates) each; what `policy.conclude` reads."""

    tasks: Sequence[str]
    baseline: NDArray[np.int8]
    variant: NDArray[np.int8]

    def scorecards(self, last: int, reading: Reading = Reading.AS_IS) -> Iterator[tuple[Scorecard, ...]]:
        """The scorecards of the three gates, look by look up to look `last`, counted only as far as they are read."""
        before, after = self.baseline, self.variant
        if reading is Reading.MISSING_AGAINST_VARIANT:
            before, after = (before != FAIL).astype(np.int8), (after == PASS).astype(np.int8)
        counts = np.zeros((4, *before.shape[1:]), dtype=np.int64)  # pairs, baseline, variant, lost: by task and gate
        missing = np.zeros((3, before.shape[2]), dtype=np.int64)  # pairs, baseline, variant: by gate
        for look in range(last):
            old, new = before[look], after[look]
            pair = (old != MISSING) & (new != MISSING)
            won_old, won_new = pair & (old == PASS), pair & (new == PASS)
            counts += np.stack((pair, won_old, won_new, won_old & ~won_new))
            missing += np.stack(((~pair).sum(axis=0), (old == MISSING).sum(axis=0), (new == MISSING).sum(axis=0)))
            yield tuple(
                _card(gate, self.tasks, counts[:, :, at].T.tolist(), missing[:, at].tolist()) for at, gate in enumerate(Gate)
            )


def _card(gate: Gate, tasks: Sequence[str], counts: list[list[int]], missing: list[int]) -> Scorecard:
    scores = tuple(
        TaskScore(task=task, pairs=pairs, baseline=baseline, variant=variant, lost=lost)
        for task, (pairs, baseline, variant, lost) in zip(tasks, counts, strict=True)
        if pairs
    )
    return Scorecard(gate=gate, tasks=scores, missing_pairs=missing[0], missing_baseline=missing[1], missing_variant=missing[2])
