"""Our rule over one night, on the decision code itself: only what the loop does between its calls stands here.

A test runs the same night through `harness.loop.evolve` over a real ledger and compares decision by decision.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.decision.arms import BaselineArm, Use, arm_name, choose_arm
from harness.decision.headroom import NextStep, Preflight, preflight
from harness.decision.multiplicity import Multiplicity, alpha_for
from harness.decision.policy import conclude
from harness.decision.result import DecisionKind
from harness.decision.rules import Rules
from harness.decision.screen import MOST_BLOCKS, MOST_CONFIRMED, ScreenResult, after_block, block_tasks, rank_survivors
from harness.preflight import DEV_SWEEPS
from harness.trial import Arm
from simulation.sweeps import Sweeps, baseline_counts, outcome, outcomes
from simulation.tally import Tally
from simulation.worlds import Purpose

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from harness.decision.scorecard import Outcome
    from harness.decision.screen import BaselineCount
    from simulation.worlds import Night, Proposed, System


Order = Callable[[str, Sequence[str]], tuple[str, ...]]  # label and items: what `campaign.Shuffle` is to the loop


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What of the rule is set: alpha and looks, the batch, and the two options that change what a confirmation costs."""

    alpha: float = 0.05
    looks: int = 8
    batch: int = 8
    baseline_arm: BaselineArm = BaselineArm.FRESH
    multiplicity: Multiplicity = Multiplicity.LEDGER

    def rules(self, number: int, promoted: Sequence[int]) -> Rules:
        """The rules of confirmation `number`."""
        return Rules(alpha=alpha_for(self.multiplicity, self.alpha, number, promoted), looks=self.looks)


def seeded(label: str, items: Sequence[str]) -> tuple[str, ...]:
    """An order that hangs on the label alone."""
    return tuple(random.Random(label).sample(items, len(items)))  # noqa: S311  (an order, not a secret)


def play(night: Night, settings: Settings, order: Order = seeded) -> Tally:
    """The night's tally; `tally.kinds` holds each variant's decision by number."""
    return _Played(night, settings, order).tally


@dataclass(slots=True)
class _Arm:
    """Stored trials and how many sweeps of them were run."""

    verdicts: NDArray[np.int8]
    run: int = 0


class _Played:
    def __init__(self, night: Night, settings: Settings, order: Order) -> None:
        self.night, self.settings, self.order = night, settings, order
        self.dev = [f"dev-{number:03d}" for number in range(night.dev)]
        self.holdout = [f"hold-{number:03d}" for number in range(night.holdout)]
        self.baseline, self.generation = night.baseline(), 0
        self.tally = Tally()
        self.uses: list[Use] = []
        self.arms: dict[str, _Arm] = {}
        self.promoted: list[int] = []  # numbers of the confirmations that promoted
        self.won: NDArray[np.int8] | None = None  # the sweeps that promoted the baseline
        self._run()
        self.tally.quality = tuple(self.baseline.quality.tolist())

    def _run(self) -> None:
        counts: tuple[BaselineCount, ...] | None = None
        for batch, first in enumerate(range(1, self.night.variants + 1, self.settings.batch), start=1):
            if counts is None and (counts := self._preflight()) is None:
                return
            numbers = range(first, min(first + self.settings.batch, self.night.variants + 1))
            if self._batch(batch, numbers, counts):
                counts = None

    def _preflight(self) -> tuple[BaselineCount, ...] | None:
        """The dev cache, or None when a gate has no room left."""
        night, baseline = self.night, self.baseline
        dev = night.trials(baseline, night.dev_tasks, DEV_SWEEPS, night.draws(Purpose.PREFLIGHT_DEV, self.generation))
        self.tally.rollouts += dev.shape[0] * dev.shape[1]
        if (self.won is not None and self._headroom(self.won).has_room) or self._fresh_headroom() is not NextStep.BLOCKED:
            return baseline_counts(self.dev, dev)
        return None

    def _fresh_headroom(self) -> NextStep:
        fresh = self._holdout(self.baseline, Purpose.PREFLIGHT_HOLDOUT, self.generation)
        for sweeps in range(1, self.settings.looks + 1):
            self.tally.rollouts += self.night.holdout
            step = self._headroom(fresh[:sweeps]).next_step
            if step is not NextStep.SWEEP_AGAIN:
                break
        return step

    def _headroom(self, sweeps: NDArray[np.int8]) -> Preflight:
        rules = Rules(alpha=self.settings.alpha, looks=self.settings.looks)
        return preflight(outcomes(Arm.BASELINE, self.holdout, sweeps), rules)

    def _batch(self, batch: int, numbers: range, counts: tuple[BaselineCount, ...]) -> bool:
        """One batch; whether it moved the baseline."""
        order = self.order(f"screen {batch}", self.dev)
        proposed = {number: self.night.propose(self.baseline, number) for number in numbers}
        screened = {number: self._screen(number, one.system, order, counts) for number, one in proposed.items()}
        for number, result in screened.items():
            self.tally.kinds[number] = DecisionKind.REJECT if result.dropped else DecisionKind.NOT_CONFIRMED
        ranked = rank_survivors({f"{number:09d}": result for number, result in screened.items()})
        return any(self._confirm(int(name), proposed[int(name)]) for name in ranked[:MOST_CONFIRMED])

    def _screen(self, number: int, variant: System, order: Sequence[str], counts: tuple[BaselineCount, ...]) -> ScreenResult:
        night = self.night
        place = {task: at for at, task in enumerate(self.dev)}
        repeats = max(repeat for _, repeat in block_tasks(order, MOST_BLOCKS))
        verdicts = night.trials(variant, night.dev_tasks, repeats, night.draws(Purpose.SCREEN, number)).tolist()
        seen: list[Outcome] = []
        for block in range(1, MOST_BLOCKS + 1):
            trials = block_tasks(order, block)
            self.tally.rollouts += len(trials)
            seen += [outcome(Arm.VARIANT, task, repeat, verdicts[repeat - 1][place[task]]) for task, repeat in trials]
            result = after_block(counts, seen, block)
            if result.dropped:
                break
        return result

    def _confirm(self, number: int, proposed: Proposed) -> bool:
        """One confirmation; whether it promoted."""
        night, key = self.night, str(number)
        arm = self._arm(key)
        variant = _Arm(self._holdout(proposed.system, Purpose.CONFIRM_VARIANT, number))
        baseline = self.arms.setdefault(arm or arm_name(key, Arm.BASELINE), self._fresh(number))
        rules = self.settings.rules(len(self.uses) + 1, self.promoted)
        sweeps = Sweeps(tasks=self.holdout, baseline=baseline.verdicts, variant=variant.verdicts)
        course, _ = conclude(sweeps, rules, rules.looks)
        self.tally.rollouts += night.holdout * (course.look + max(0, course.look - baseline.run))
        baseline.run, variant.run = max(baseline.run, course.look), course.look
        self.tally.confirmations += 1
        self.tally.confirmed[proposed.truth] += 1
        self.tally.kinds[number] = course.kind
        before, after = str(self.generation), key
        self.uses.append(Use(key=key, night=1, baseline=before, variant=after, arm=arm, decision=course.kind, looks=course.look))
        if course.kind is not DecisionKind.PROMOTE:
            return False
        self.arms[arm_name(key, Arm.VARIANT)] = variant
        self.promoted.append(len(self.uses))
        self.tally.promote(proposed)
        self.baseline, self.generation, self.won = proposed.system, number, variant.verdicts[: course.look]
        return True

    def _arm(self, key: str) -> str:
        if self.settings.baseline_arm is BaselineArm.FRESH:
            return ""
        return choose_arm(self.uses, night=1, baseline=str(self.generation), lineage={key})

    def _fresh(self, number: int) -> _Arm:
        return _Arm(self._holdout(self.baseline, Purpose.CONFIRM_BASELINE, number))

    def _holdout(self, system: System, purpose: Purpose, number: int) -> NDArray[np.int8]:
        night = self.night
        return night.trials(system, night.holdout_tasks, self.settings.looks, night.draws(purpose, number))
