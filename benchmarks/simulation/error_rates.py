"""How often a single confirmation is wrong where being wrong is easiest: no screen before it, no night around it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.decision.policy import conclude, examine
from harness.decision.proportion import wilson
from harness.decision.result import DecisionKind
from harness.gates import Gate
from simulation.sweeps import Sweeps
from simulation.worlds import LEAST_FAVOURABLE, WORLDS, Night, Purpose

if TYPE_CHECKING:
    from collections.abc import Iterable

    from harness.decision.rules import Rules

NAMES = ("A/A: tests", "A/A: style", "A/A: review", "A/A: promoted", "one gate null, two at +40: promoted")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """`wrong` of `of` confirmations, with the one-sided 95 % upper bound (Wilson)."""

    name: str
    wrong: int
    of: int

    @property
    def share(self) -> float:
        """The measured rate."""
        return self.wrong / self.of

    @property
    def bound(self) -> float:
        """What it is at most."""
        return wilson(self.wrong, self.of, 0.90)[1]


def measure(seed: int, numbers: Iterable[int], rules: Rules) -> tuple[tuple[bool, ...], ...]:
    """Five answers by number, as in `NAMES`: gates of an A/A comparison that crossed, then two promotions.

    A gate crossed when its p was at or under the level at any look, had all looks been run.
    """
    return tuple((*_same(seed, number, rules), _one_null(seed, number, rules)) for number in numbers)


def rates(found: Iterable[tuple[bool, ...]]) -> tuple[Rate, ...]:
    """The five rates."""
    rows = list(found)
    return tuple(Rate(name=name, wrong=sum(row[at] for row in rows), of=len(rows)) for at, name in enumerate(NAMES))


def _same(seed: int, number: int, rules: Rules) -> tuple[bool, ...]:
    sweeps = _sweeps(Night(world=WORLDS["null"], seed=seed, number=number), rules)
    crossed = dict.fromkeys(Gate, False)
    for look, cards in enumerate(sweeps.scorecards(rules.looks), start=1):
        for card in cards:
            crossed[card.gate] = crossed[card.gate] or examine(card, look, rules).beats
    course, _ = conclude(sweeps, rules, rules.looks)
    return *crossed.values(), course.kind is DecisionKind.PROMOTE


def _one_null(seed: int, number: int, rules: Rules) -> bool:
    course, _ = conclude(_sweeps(Night(world=LEAST_FAVOURABLE, seed=seed, number=number), rules), rules, rules.looks)
    return course.kind is DecisionKind.PROMOTE


def _sweeps(night: Night, rules: Rules) -> Sweeps:
    """Both arms of one confirmation of the night's first variant, on a suite of its own."""
    baseline = night.baseline()
    variant = night.propose(baseline, 1).system
    old, new = (
        night.trials(system, night.holdout_tasks, rules.looks, night.draws(purpose, 1))
        for system, purpose in ((baseline, Purpose.CONFIRM_BASELINE), (variant, Purpose.CONFIRM_VARIANT))
    )
    return Sweeps(tasks=[str(number) for number in range(night.holdout)], baseline=old, variant=new)
