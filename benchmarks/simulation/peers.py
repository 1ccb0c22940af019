"""Peers' rules as functions: what other optimisers of prompts and skills do with a variant's scores, over the same nights.

All of them count a hanging trial as a fail and leave a missing one out, which is more careful than what some of them ship. Each
meets one variant after the other, always an edit of the current best.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from harness.decision import signflip
from simulation.tally import Tally
from simulation.worlds import MISSING, PASS, Purpose

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulation.worlds import Night, System

FEW, REPEATS = 30, 3  # the usual validation set
MINIBATCH = 3
ERRORS = 1.0  # k of "mean > k standard errors"
RESAMPLES = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Challenge:
    """Variant `number` against the current best; what is run for it is booked in the night's tally."""

    night: Night
    best: System
    number: int
    variant: System
    tally: Tally

    def both(self, tasks: int = FEW) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
        """Both arms anew."""
        return self.run_best(tasks), self.run_variant(tasks)

    def run_best(self, tasks: int = FEW, repeats: int = REPEATS) -> NDArray[np.int8]:
        """The baseline's verdicts (repeats, tasks, gates)."""
        return self._run(self.best, Purpose.PEER_BASELINE, tasks, repeats)

    def run_variant(self, tasks: int = FEW, repeats: int = REPEATS) -> NDArray[np.int8]:
        """The variant's."""
        return self._run(self.variant, Purpose.PEER_VARIANT, tasks, repeats)

    def _run(self, system: System, purpose: Purpose, tasks: int, repeats: int) -> NDArray[np.int8]:
        """The last tasks of the suite: holdout first, dev only where all are asked for."""
        night = self.night
        whole = night.dev + night.holdout
        self.tally.rollouts += tasks * repeats
        return night.trials(system, slice(whole - tasks, whole), repeats, night.draws(purpose, self.number))


Peer = Callable[[Challenge], bool]  # whether the variant takes the baseline's place


def play(night: Night, rule: Callable[[], Peer]) -> Tally:
    """The night's tally by one peer's rule."""
    tally, best, judge = Tally(), night.baseline(), rule()
    for number in range(1, night.variants + 1):
        proposed = night.propose(best, number)
        if judge(Challenge(night=night, best=best, number=number, variant=proposed.system, tally=tally)):
            tally.promote(proposed)
            best = proposed.system
    tally.quality = tuple(best.quality.tolist())
    return tally


def mean_fresh(it: Challenge) -> bool:
    """Higher mean on all three gates, both arms run anew: 30 tasks, 3 repeats."""
    before, after = it.both()
    return bool((_rates(after) > _rates(before)).all())


class MeanCached:
    """The same against a baseline that was measured once (SkillOpt-like): its luck stays for all who come."""

    def __init__(self) -> None:
        self._mark: NDArray[np.float64] | None = None

    def __call__(self, it: Challenge) -> bool:
        """A winner's own score becomes the next one's mark."""
        if self._mark is None:
            self._mark = _rates(it.run_best())
        rates = _rates(it.run_variant())
        if not (rates > self._mark).all():
            return False
        self._mark = rates
        return True


class MinibatchThenBest:
    """A minibatch against the parent, then the best validation mean so far, on all three gates (GEPA-like)."""

    def __init__(self) -> None:
        self._best: NDArray[np.float64] | None = None

    def __call__(self, it: Challenge) -> bool:
        """Three tasks, one sum over gates, decide whether the validation set is run, once over 30 tasks."""
        if self._best is None:
            self._best = _rates(it.run_best(repeats=1))
        draws = it.night.draws(Purpose.PEER_MINIBATCH, it.number)
        first = int(draws.integers(it.night.dev - MINIBATCH + 1))
        before, after = (it.night.trials(system, slice(first, first + MINIBATCH), 1, draws) for system in (it.best, it.variant))
        it.tally.rollouts += 2 * MINIBATCH
        if (after == PASS).sum() <= (before == PASS).sum():
            return False
        rates = _rates(it.run_variant(repeats=1))
        if not (rates > self._best).all():
            return False
        self._best = rates
        return True


def mean_beyond_error(it: Challenge) -> bool:
    """Mean difference above k standard errors on all three gates, trials taken as independent, both arms anew."""
    before, after = it.both()
    old, new = _rates(before), _rates(after)
    trials = before.shape[0] * before.shape[1]
    errors = np.sqrt((old * (1 - old) + new * (1 - new)) / trials)
    return bool((new - old > ERRORS * errors).all())


def bootstrap_bound(it: Challenge) -> bool:
    """Lower 95 % bound of a paired bootstrap over tasks above zero on all three gates, both arms anew."""
    before, after = it.both()
    differences = _by_task(before, after)
    if not (differences.mean(axis=0) > 0).all():
        return False  # no bound can be above zero
    picks = it.night.draws(Purpose.BOOTSTRAP, it.number).integers(len(differences), size=(RESAMPLES, len(differences)))
    return bool((np.quantile(differences[picks].mean(axis=1), 0.05, axis=0) > 0).all())


def fixed_paired_test(it: Challenge) -> bool:
    """One exact paired test at 5 % on all three gates: 100 tasks, 3 repeats, both arms anew."""
    before, after = it.both(it.night.dev + it.night.holdout)
    pair = (before != MISSING) & (after != MISSING)
    totals = np.where(pair, after - before, 0).sum(axis=0)
    if not (totals.sum(axis=0) > 0).all():
        return False
    return all(signflip.p_value(totals[:, gate].tolist()) <= 1 / 20 for gate in range(3))


PEERS: dict[str, Callable[[], Peer]] = {
    "mean, fresh, 30x3": lambda: mean_fresh,
    "mean, cached baseline, 30x3": MeanCached,
    "minibatch, then best mean": MinibatchThenBest,
    "mean > 1 SE, 30x3": lambda: mean_beyond_error,
    "paired bootstrap bound, 30x3": lambda: bootstrap_bound,
    "fixed paired test, 100x3": lambda: fixed_paired_test,
}


def _rates(verdicts: NDArray[np.int8]) -> NDArray[np.float64]:
    """Pass rate by gate over valid trials."""
    valid = (verdicts != MISSING).sum(axis=(0, 1))
    rates: NDArray[np.float64] = (verdicts == PASS).sum(axis=(0, 1)) / np.maximum(valid, 1)
    return rates


def _by_task(before: NDArray[np.int8], after: NDArray[np.int8]) -> NDArray[np.float64]:
    """Mean difference over complete pairs, by task and gate."""
    pair = (before != MISSING) & (after != MISSING)
    totals = np.where(pair, after - before, 0).sum(axis=0)
    means: NDArray[np.float64] = totals / np.maximum(pair.sum(axis=0), 1)
    return means
