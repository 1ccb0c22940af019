"""Worlds with known truth: what tasks, baselines and proposed variants are like, and what trials of them come to.

A system (the baseline or a variant) passes task i on gate g when place[i, g] + level[g] + noise > 0: places are N(0, 1) over
tasks with gate correlation .5, noise N(0, 1) over trials with gate correlation .4, so its true rate is cdf(level / sqrt 2).
Every draw hangs on (seed, night, purpose, number) alone: rules compared on one night meet the same tasks and variants.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from enum import IntEnum, StrEnum
from typing import TYPE_CHECKING

import numpy as np

from harness.decision import normal

if TYPE_CHECKING:
    from numpy.typing import NDArray

PASS, FAIL, MISSING = 1, 0, -1
START = (0.50, 0.60, 0.45)
TRIES = 3  # a fault of ours is tried again twice

_GATES = 3
_PLACE_CORRELATION = 0.5
_NOISE_CORRELATION = 0.4


class Purpose(IntEnum):
    """What a stream of random numbers is for; part of its seed."""

    SUITE = 0
    PROPOSAL = 1
    PREFLIGHT_DEV = 2
    PREFLIGHT_HOLDOUT = 3
    SCREEN = 4
    CONFIRM_BASELINE = 5
    CONFIRM_VARIANT = 6
    PEER_BASELINE = 7
    PEER_VARIANT = 8
    PEER_MINIBATCH = 9
    BOOTSTRAP = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Mix:
    """A share of the proposals, and the effect that they have, in points at a rate of one half.

    The effect on all gates is uniform in `low`..`high`, on each gate with a scatter of `apart`, kept within `least`..`most`.
    `third` replaces it on one gate, drawn at random; `dev_only` takes it away on holdout; `drift` instead draws each gate's
    from N(mean, sd). `hangs` is the chance that a trial never ends, which fails all its gates. `scatter` is over tasks.
    """

    share: float
    low: float = 0.0
    high: float = 0.0
    apart: float = 0.02
    least: float = -1.0
    most: float = 1.0
    third: tuple[float, ...] = ()
    dev_only: bool = False
    drift: tuple[float, float] | None = None
    hangs: float = 0.0
    scatter: float = 0.2


HELPFUL = Mix(share=0.10, low=0.05, high=0.15, least=0.02, most=0.18)
HARMFUL = Mix(share=0.30, low=-0.15, high=-0.05, least=-0.18, most=-0.02)
NULL = Mix(share=1.0, apart=0.0, scatter=0.1)


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """What is proposed (shares in order, the rest null) and how trials and instruments err.

    `faults` is the chance that one try of a trial fails for a reason of ours; `flaky` (share of tasks, chance) turns the tests
    verdict over; a reviewer panel passes good work at `tpr` and refuses bad work at `tnr`.
    """

    name: str
    title: str
    mixes: tuple[Mix, ...] = (HELPFUL, HARMFUL)
    rest: Mix = NULL
    faults: float = 0.0
    flaky: tuple[float, float] = (0.0, 0.0)
    tpr: float = 1.0
    tnr: float = 1.0


_TRADES = Mix(share=0.20, low=0.10, high=0.10, apart=0.0, third=(0.0, -0.05))
_OVERFIT = Mix(share=0.10, low=0.10, high=0.10, apart=0.0, dev_only=True)
_LEAN = Mix(share=0.03, low=0.03, high=0.08, apart=0.0)
_HANGING = Mix(share=0.20, apart=0.0, hangs=0.12, scatter=0.1)
_ONE_NULL = Mix(share=1.0, low=0.40, high=0.40, apart=0.0, third=(0.0,))

WORLDS = {
    world.name: world
    for world in (
        World(name="base", title="10 % helpful, 30 % harmful, 60 % without effect"),
        World(name="trade-off", title="base, and 20 % that win two gates and win nothing or lose on the third",
              mixes=(_TRADES, HELPFUL, HARMFUL)),
        World(name="dev-overfit", title="base, and 10 % that help on dev tasks only", mixes=(_OVERFIT, HELPFUL, HARMFUL)),
        World(name="lean", title="3 % help by 3 to 8 points, the rest drift a little downwards",
              mixes=(_LEAN,), rest=Mix(share=1.0, drift=(-0.01, 0.018), scatter=0.1)),
        World(name="null", title="every variant is the baseline under another name (A/A)",
              mixes=(), rest=replace(NULL, scatter=0.0)),
        World(name="faults", title="base, and 30 % of all tries fail for a reason of ours", faults=0.30),
        World(name="hanging", title="base, and 20 % that change nothing but hang on 12 % of their trials",
              mixes=(_HANGING, HELPFUL, HARMFUL)),
        World(name="flaky", title="base, with hidden tests that turn over on a fifth of the tasks, once in ten",
              flaky=(0.2, 0.1)),
        World(name="noisy-review", title="base, with a panel that passes 85 % of good and refuses 75 % of bad work",
              tpr=0.85, tnr=0.75),
    )
}  # fmt: skip
LEAST_FAVOURABLE = World(name="least-favourable", title="one gate without effect, two at +40 points", mixes=(_ONE_NULL,))


@dataclass(frozen=True, slots=True, kw_only=True)
class System:
    """The baseline or a variant: places by task and gate, level by gate, and chance to hang. Dev tasks come first."""

    place: NDArray[np.float64]
    level: NDArray[np.float64]
    dev_level: NDArray[np.float64]
    hangs: float = 0.0

    @property
    def quality(self) -> NDArray[np.float64]:
        """The true pass rate of each gate over all tasks that there could be."""
        return np.array([(1 - self.hangs) * normal.cdf(level / math.sqrt(2)) for level in self.level.tolist()])


class Truth(StrEnum):
    """What is true of a variant; only one that is better on every gate may be promoted."""

    BETTER = "better on every gate"
    PARTLY = "better on some and no worse on any"
    NOTHING = "without effect"
    WORSE = "worse on a gate"


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposed:
    """A variant, and its true effect on the quality of each gate."""

    system: System
    effect: NDArray[np.float64]

    @property
    def is_false(self) -> bool:
        """Not better on every gate: promoting it is an error."""
        return bool((self.effect <= 0).any())

    @property
    def is_harmful(self) -> bool:
        """Worse on a gate."""
        return bool((self.effect < 0).any())

    @property
    def truth(self) -> Truth:
        """What it is in one word."""
        if self.is_harmful:
            return Truth.WORSE
        gains = (self.effect > 0).sum()
        return Truth.BETTER if gains == _GATES else Truth.PARTLY if gains else Truth.NOTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class Night:
    """One night in a world: the suite's sizes and the source of every draw."""

    world: World
    seed: int
    number: int
    variants: int = 200
    dev: int = 25
    holdout: int = 75
    start: tuple[float, ...] = field(default=START)

    @property
    def dev_tasks(self) -> slice:
        """Where the dev tasks stand."""
        return slice(0, self.dev)

    @property
    def holdout_tasks(self) -> slice:
        """Where the holdout tasks stand."""
        return slice(self.dev, self.dev + self.holdout)

    def draws(self, purpose: Purpose, number: int = 0) -> np.random.Generator:
        """The stream of one purpose and number."""
        return np.random.Generator(np.random.SFC64((self.seed, self.number, int(purpose), number)))

    def baseline(self) -> System:
        """The skill that the night starts from."""
        draws = self.draws(Purpose.SUITE)
        level = np.array([math.sqrt(2) * normal.quantile(rate) for rate in self.start])
        return System(place=_together(draws, (self.dev + self.holdout,), _PLACE_CORRELATION), level=level, dev_level=level)

    def propose(self, baseline: System, number: int) -> Proposed:
        """Variant `number`, an edit of this baseline."""
        draws = self.draws(Purpose.PROPOSAL, number)
        mix = _drawn(self.world, draws.random())
        points = _points(mix, draws)
        shift = np.array([math.sqrt(2) * normal.quantile(0.5 + point) if point else 0.0 for point in points])  # 0 stays exact
        moved = baseline.place + mix.scatter * draws.standard_normal(baseline.place.shape)
        system = System(
            place=moved / math.sqrt(1 + mix.scatter**2),
            level=baseline.level if mix.dev_only else baseline.level + shift,
            dev_level=baseline.dev_level + shift,
            hangs=max(baseline.hangs, mix.hangs),
        )
        return Proposed(system=system, effect=system.quality - baseline.quality)

    def trials(self, system: System, tasks: slice, repeats: int, draws: np.random.Generator) -> NDArray[np.int8]:
        """Verdicts (repeats, tasks, gates) of so many sweeps."""
        world, place = self.world, system.place[tasks]
        level = np.broadcast_to(system.level, (self.dev + self.holdout, _GATES)).copy()
        level[self.dev_tasks] = system.dev_level
        shape = (repeats, len(place))
        passed = place + level[tasks] + _together(draws, shape, _NOISE_CORRELATION) > 0
        if world.flaky[0]:
            turns = np.arange(len(system.place))[tasks] % round(1 / world.flaky[0]) == 0
            passed[..., 0] ^= turns & (draws.random(shape) < world.flaky[1])
        if world.tpr < 1 or world.tnr < 1:
            luck = draws.random(shape)
            passed[..., 2] = np.where(passed[..., 2], luck < world.tpr, luck >= world.tnr)
        if system.hangs:
            passed[draws.random(shape) < system.hangs] = False
        verdicts = passed.astype(np.int8)
        if world.faults:
            verdicts[draws.random(shape) < world.faults**TRIES] = MISSING
        return verdicts


def _together(draws: np.random.Generator, shape: tuple[int, ...], correlation: float) -> NDArray[np.float64]:
    """Standard normal numbers of this shape for three gates, correlated over gates."""
    shared = draws.standard_normal((*shape, 1))
    own = draws.standard_normal((*shape, _GATES))
    return math.sqrt(correlation) * shared + math.sqrt(1 - correlation) * own


def _drawn(world: World, luck: float) -> Mix:
    for mix in world.mixes:
        if luck < mix.share:
            return mix
        luck -= mix.share
    return world.rest


def _points(mix: Mix, draws: np.random.Generator) -> list[float]:
    if mix.drift:
        return [float(point) for point in draws.normal(*mix.drift, _GATES)]
    middle = draws.uniform(mix.low, mix.high)
    points = np.clip(middle + mix.apart * draws.standard_normal(_GATES), mix.least, mix.most)
    if mix.third:
        points[draws.integers(_GATES)] = mix.third[draws.integers(len(mix.third))]
    return [float(point) for point in points]
