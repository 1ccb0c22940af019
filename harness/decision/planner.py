"""What a design can see, and what a wanted effect would need: the planner's formula for one gate, the rule itself for three."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from harness.counted import counted
from harness.decision.power import smallest_effect, smallest_effect_on_all, tasks_needed, world_noise
from harness.decision.wording import listed, points
from harness.gates import Gate

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.decision.power import Design

WANTED = (0.05, 0.08, 0.10, 0.15, 0.20)
REPEATS = (1, 3, 5, 8)
FEW_TASKS = 40  # under it the number is a warning


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """Tasks, by number of repeats (`REPEATS`), with which `effect` on all three gates is seen; None where no number is enough."""

    effect: float
    tasks: tuple[int | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """`one_gate` is the smallest effect seen on each gate alone, in gate order; `on_all` on all three, simulated on the rule."""

    design: Design
    rates: tuple[float, ...]
    one_gate: tuple[float | None, ...]
    on_all: float | None
    needs: tuple[Need, ...]


def plan(
    design: Design, rates: Sequence[float], draws: Iterator[float], *, wanted: Sequence[float] = WANTED, runs: int = 100
) -> Plan:
    """What the design sees at these baseline rates, and what the wanted effects need.

    Needs follow the formula for the hardest gate, scaled by how much more the rule asked for on all three in the design's
    simulation (in effect, so squared in tasks): exact enough to plan with, to be checked with `on_all` of the chosen design.
    """
    one_gate = seen_on_one(design, rates)
    on_all = smallest_effect_on_all(design, rates, draws, runs)
    hardest = max((effect for effect in one_gate if effect is not None), default=None)
    scale = (on_all / hardest) ** 2 if on_all and hardest else None
    needs = tuple(
        Need(effect=effect, tasks=tuple(_needed(design, rates, effect, repeats, scale) for repeats in REPEATS))
        for effect in wanted
    )
    return Plan(design=design, rates=tuple(rates), one_gate=one_gate, on_all=on_all, needs=needs)


def seen_on_one(design: Design, rates: Sequence[float]) -> tuple[float | None, ...]:
    """The smallest effect that the formula gives for each gate alone."""
    return tuple(smallest_effect(design, rate) for rate in rates)


def told_before(design: Design, rates: Sequence[float]) -> str:
    """One sentence before money is spent: the smallest gain that can be seen, and a warning where the tasks are few."""
    moves = [
        f"{gate} {points(effect)}" if effect is not None else f"{gate} nothing"
        for gate, effect in zip(Gate, seen_on_one(design, rates), strict=True)
    ]
    tasks, looks = counted(design.tasks, "holdout task"), counted(design.repeats, "look")
    told = (
        f"{tasks}, {looks}: the smallest gain seen {design.power * 10:.0f} times in 10 on one gate alone is {listed(moves)}; "
        "on all three together about half as much again (harness power)"
    )
    return (
        f"{told}. Warning: under {FEW_TASKS} holdout tasks only large gains can be promoted" if design.tasks < FEW_TASKS else told
    )


def words(found: Plan) -> str:
    """The plan in sentences."""
    design = found.design
    seen = f"{points(found.on_all)} on all three gates at once" if found.on_all else "no gain on all three gates, however large,"
    tasks, looks = counted(design.tasks, "holdout task"), counted(design.repeats, "look")
    most = 2 * design.tasks * design.repeats
    often = f"{design.power * 10:.0f} times in 10"
    lines = [
        f"{tasks}, {looks} of one repeat each, alpha {design.alpha:g}: {seen} can be seen {often}.",
        "Smaller gains mostly end as inconclusive or reject.",
        f"A confirmation costs at most {most:,} trials; of a variant that is no better, mostly a quarter of that or less.",
    ]
    if design.tasks < FEW_TASKS:
        lines.append(
            f"Warning: under {FEW_TASKS} holdout tasks only large gains can be promoted. More tasks help more than more repeats."
        )
    return "\n".join(lines)


def _needed(design: Design, rates: Sequence[float], effect: float, repeats: int, scale: float | None) -> int | None:
    if scale is None or effect >= 1 - max(rates):
        return None
    asked = replace(design, repeats=repeats)
    tasks = [
        tasks_needed(effect, world_noise(rate, effect), repeats=asked.repeats, alpha=asked.alpha, power=asked.power)
        for rate in rates
    ]
    return math.ceil(max(tasks) * scale)
