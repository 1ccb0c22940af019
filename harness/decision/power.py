"""What a suite can see: the planner's formula, and the smallest effect that the promotion rule itself detects.

The worlds are those of the measured figures: probit tasks with a spread of one standard deviation and gates correlated
at .5; a variant shifts every task alike, but for a little scatter. Randomness comes as an iterator of uniforms.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.decision import normal
from harness.decision.looks import MOST_LOOKS
from harness.decision.policy import follow
from harness.decision.result import DecisionKind
from harness.decision.rules import Rules
from harness.decision.scorecard import Scorecard, TaskScore
from harness.errors import InputError
from harness.gates import Gate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

POWER = 0.8
EXTREME = 0.02  # from 0 and from 1: beyond, the formula would have no room
START_RATES = (0.50, 0.60, 0.45)  # tests, style, review, where nothing has been measured yet

_GATE_CORRELATION = 0.5
_TRIAL_CORRELATION = 0.4  # a trial's luck is one number for all gates this often, else one for each
_SCATTER = 0.2  # of a variant's shift over tasks, probit scale
_QUADRATURE = tuple((i - 40) / 5 for i in range(81))  # normal scores -8 to 8: the trapezoid rule is exact to rounding here


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """A comparison to be planned: holdout tasks, and repeats of each, 1 to 8 (one look per repeat)."""

    tasks: int
    repeats: int
    alpha: float = 0.05
    power: float = POWER

    def __post_init__(self) -> None:
        if self.tasks < 1 or not 1 <= self.repeats <= MOST_LOOKS or not 0 < self.power < 1:
            raise InputError(f"a design needs a task, 1 to {MOST_LOOKS} repeats and a power between 0 and 1, not {self}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """`within`: E p(1 - p) of the baseline plus that of the variant; `between`: variance over tasks of the true effect."""

    within: float
    between: float


def tasks_needed(effect: float, noise: Noise, *, repeats: int, alpha: float = 0.05, power: float = POWER) -> float:
    """N = (z_alpha + z_power)^2 (within / K + between) / effect^2, one gate, one look; not rounded up."""
    reach = normal.quantile(1 - alpha) + normal.quantile(power)
    return reach**2 * (noise.within / repeats + noise.between) / effect**2


def world_noise(rate: float, effect: float) -> Noise:
    """The noise of the probit world for a baseline mean of `rate` and a variant mean of `rate + effect`."""
    base, moved = _middle(rate), _middle(rate + effect)
    density = [math.exp(-z * z / 2) for z in _QUADRATURE]
    total = sum(density)
    within = between = 0.0
    for z, weight in zip(_QUADRATURE, density, strict=True):
        before, after = normal.cdf(base + z), normal.cdf(moved + z)
        within += weight * (before * (1 - before) + after * (1 - after))
        between += weight * (after - before - effect) ** 2
        between += weight * (_SCATTER * math.exp(-((moved + z) ** 2) / 2) / math.sqrt(2 * math.pi)) ** 2
    return Noise(within=within / total, between=between / total)


def smallest_effect(design: Design, rate: float) -> float | None:
    """The smallest effect on one gate that the planner's formula gives the design; None when no effect is large enough.

    A rate of 0 or 1, or near to it, is taken as EXTREME from there: the formula needs some room on either side.
    """
    rate = min(max(rate, EXTREME), 1 - EXTREME)

    def enough(effect: float) -> bool:
        noise = world_noise(rate, effect)
        wanted = tasks_needed(effect, noise, repeats=design.repeats, alpha=design.alpha, power=design.power)
        return wanted <= design.tasks

    return _least(enough, 0.0, 1 - rate)


def smallest_effect_on_all(design: Design, rates: Sequence[float], draws: Iterator[float], runs: int = 200) -> float | None:
    """The smallest effect, the same on all three gates, that the promotion rule promotes often enough, simulated.

    Each effect tried meets the same `runs` simulated suites, so the answer moves with the effect and not with luck.
    None when not even passing nearly always is promoted often enough. Good to about one point.
    """
    seeds = _seeds(draws, runs)
    ones = [smallest_effect(design, rate) for rate in rates]
    least = max((one for one in ones if one is not None), default=0.0)  # three gates are no easier than the hardest one
    most = 1 - max(rates)

    def enough(effect: float) -> bool:
        return _promoted(design, rates, effect, seeds) >= design.power

    return _least(enough, least / 2, min(2.5 * least, most) or most, steps=5)


def chance_to_promote(design: Design, rates: Sequence[float], effect: float, draws: Iterator[float], runs: int = 200) -> float:
    """The share of simulated comparisons that promote a variant better by `effect` on all three gates."""
    return _promoted(design, rates, effect, _seeds(draws, runs))


def uniforms(seed: int) -> Iterator[float]:
    """An endless stream of uniform numbers in (0, 1) from a seed (SplitMix64: Steele, Lea and Flood 2014)."""
    state, full = seed, (1 << 64) - 1
    while True:
        state = (state + 0x9E3779B97F4A7C15) & full
        mixed = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & full
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & full
        yield (((mixed ^ (mixed >> 31)) >> 12) + 0.5) / (1 << 52)


def _seeds(draws: Iterator[float], runs: int) -> tuple[int, ...]:
    return tuple(int(next(draws) * (1 << 52)) for _ in range(runs))


def _least(enough: Callable[[float], bool], low: float, most: float, steps: int = 20) -> float | None:
    """The least effect from low to most that is enough, by bisection; None when 99 % of the way up is not."""
    high = low + 0.99 * (most - low)
    if not enough(high):
        return None
    for _ in range(steps):
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _promoted(design: Design, rates: Sequence[float], effect: float, seeds: Sequence[int]) -> float:
    rules = Rules(alpha=design.alpha, looks=design.repeats)
    courses = (follow(_simulated(design, rates, effect, uniforms(seed)), rules) for seed in seeds)
    return sum(course.kind is DecisionKind.PROMOTE for course in courses) / len(seeds)


def _simulated(design: Design, rates: Sequence[float], effect: float, draws: Iterator[float]) -> Iterator[tuple[Scorecard, ...]]:
    """One simulated comparison, look by look: the scorecards of the three gates, drawn only as far as they are read."""
    chances = [_task_chances(rates, effect, draws) for _ in range(design.tasks)]
    passes = [[[0, 0] for _ in Gate] for _ in range(design.tasks)]
    for look in range(1, design.repeats + 1):
        for task, by_gate in zip(passes, chances, strict=True):
            for arm in (0, 1):
                common = next(draws) if next(draws) < _TRIAL_CORRELATION else None
                for counts, chance in zip(task, by_gate, strict=True):
                    counts[arm] += (common or next(draws)) < chance[arm]
        yield tuple(_card(gate, [task[at] for task in passes], look) for at, gate in enumerate(Gate))


def _task_chances(rates: Sequence[float], effect: float, draws: Iterator[float]) -> list[tuple[float, float]]:
    """One task's chances to pass, by gate: (baseline, variant)."""
    shared = _score(draws)
    chances = []
    for rate in rates:
        own, scatter = _score(draws), _score(draws)
        place = math.sqrt(_GATE_CORRELATION) * shared + math.sqrt(1 - _GATE_CORRELATION) * own
        moved = (place + _SCATTER * scatter) / math.sqrt(1 + _SCATTER**2)
        chances.append((normal.cdf(_middle(rate) + place), normal.cdf(_middle(rate + effect) + moved)))
    return chances


def _score(draws: Iterator[float]) -> float:
    """A normal score (Box and Muller 1958)."""
    return math.sqrt(-2 * math.log(next(draws))) * math.cos(2 * math.pi * next(draws))


def _card(gate: Gate, counts: Sequence[Sequence[int]], look: int) -> Scorecard:
    tasks = tuple(
        TaskScore(task=str(at), pairs=look, baseline=baseline, variant=variant, lost=max(0, baseline - variant))
        for at, (baseline, variant) in enumerate(counts)
    )
    return Scorecard(gate=gate, tasks=tasks, missing_pairs=0, missing_baseline=0, missing_variant=0)


def _middle(rate: float) -> float:
    """The probit place at which the mean over tasks, spread by one standard deviation, is `rate`."""
    return math.sqrt(2) * normal.quantile(rate)
