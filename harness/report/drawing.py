"""Geometry of the page's three drawings: forest plot, looks chart, strips of outcomes. Numbers in, coordinates out."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.report.figures import p_text, signed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from harness.decision.result import LookResult

WIDTH = 300.0  # of a forest plot, in its own units: 300 x 34, domain -30 to +60 points
_LOW, _HIGH, _STEP = -30, 60, 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick:
    """A line of the forest's axis: place, label, and how the label is anchored."""

    x: float
    label: str
    anchor: str
    zero: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """One axis in points for all rows of a page, so that rows can be compared by eye."""

    low: int = _LOW
    high: int = _HIGH

    @property
    def ticks(self) -> tuple[Tick, ...]:
        """Every 20 points (40 or 100 on a wide axis)."""
        step = _STEP if self.high - self.low <= 120 else 2 * _STEP  # noqa: PLR2004
        values = range(math.ceil(self.low / step) * step, self.high + 1, step)
        return tuple(self._tick(value) for value in values)

    def x(self, share: float) -> float:
        """The place of a difference, given as a share."""
        return round((share * 100 - self.low) / (self.high - self.low) * WIDTH, 1)

    def _tick(self, value: int) -> Tick:
        x = self.x(value / 100)
        anchor = "start" if x < 8 else "end" if x > WIDTH - 8 else "middle"  # noqa: PLR2004
        return Tick(x=x, label=signed(value), anchor=anchor, zero=value == 0)


def axis_for(intervals: Iterable[tuple[float, float]]) -> Axis:
    """The usual axis, widened to the next 10 points where an interval would leave it."""
    low, high = _LOW, _HIGH
    for start, end in intervals:
        low = min(low, math.floor(start * 10) * 10)
        high = max(high, math.ceil(end * 10) * 10)
    return Axis(low=max(low, -100), high=min(high, 100))


@dataclass(frozen=True, slots=True, kw_only=True)
class Whisker:
    """One row of the forest: the interval's ends (None without one), the square's centre, and where it was cut off."""

    low: float | None
    high: float | None
    middle: float
    cut_low: bool = False
    cut_high: bool = False


def whisker(axis: Axis, delta: float, interval: tuple[float, float] | None) -> Whisker:
    """Place a difference and its interval; ends beyond the axis are cut there and told."""
    middle = min(max(axis.x(delta), 0.0), WIDTH)
    if interval is None:
        return Whisker(low=None, high=None, middle=middle)
    low, high = axis.x(interval[0]), axis.x(interval[1])
    return Whisker(low=max(low, 0.0), high=min(high, WIDTH), middle=middle, cut_low=low < 0, cut_high=high > WIDTH)


# The looks chart: 320 x 190, p on a logarithmic axis from 1 down to 0.00001.
_LEFT, _RIGHT, _TOP, _BOTTOM = 44.0, 310.0, 10.0, 164.0
_DECADES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Dot:
    """One look on the chart; `hit` where p is at or under the level."""

    x: float
    y: float
    hit: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LooksChart:
    """Paths and places of one gate's chart."""

    zone: str
    level: str
    line: str
    dots: tuple[Dot, ...]
    grid: tuple[tuple[float, str], ...]
    looks: tuple[tuple[float, str], ...]
    last: str
    label_x: float
    label_y: float
    label_anchor: str


def looks_chart(looks: Sequence[LookResult], levels: Sequence[float]) -> LooksChart:
    """One gate's p at each look against the level of every look that the rule has."""
    xs = [_look_x(number, len(levels)) for number in range(len(levels))]
    steps = [(_LEFT, _p_y(levels[0])), *zip(xs, map(_p_y, levels), strict=True), (_RIGHT, _p_y(levels[-1]))]
    level = _path(steps)
    dots = tuple(Dot(x=x, y=_p_y(float(look.p)), hit=look.beats) for x, look in zip(xs, looks, strict=False))
    at_right = len(looks) > len(levels) / 2
    return LooksChart(
        zone=f"{level} V{_BOTTOM:g} H{_LEFT:g}Z",
        level=level,
        line=_path([(dot.x, dot.y) for dot in dots]),
        dots=dots,
        grid=tuple((_p_y(10.0**-power), "p = 1" if not power else f"{10.0**-power:.{power}f}") for power in range(_DECADES)),
        looks=tuple((x, "look 1" if not number else str(number + 1)) for number, x in enumerate(xs)),
        last=p_text(looks[-1].p),
        label_x=dots[-1].x + (-8 if at_right else 8),
        label_y=dots[-1].y + (-12 if dots[-1].y > 28 else 18),  # noqa: PLR2004  (clear of the top)
        label_anchor="end" if at_right else "start",
    )


def _look_x(number: int, looks: int) -> float:
    return round(54 + (246 * number / (looks - 1) if looks > 1 else 123), 1)


def _p_y(p: float) -> float:
    power = min(-math.log10(p), _DECADES) if p > 0 else _DECADES
    return round(_TOP + (_BOTTOM - _TOP) * power / _DECADES, 1)


def _path(points: Sequence[tuple[float, float]]) -> str:
    return "M" + " L".join(f"{x:.1f} {y:.1f}" for x, y in points)


@dataclass(frozen=True, slots=True, kw_only=True)
class Strip:
    """A row of outcomes as squares: "1" filled, "0" hollow, "-" a dash, each kind one path.

    `id` names the symbol, which is drawn once per page.
    """

    id: str
    filled: str
    hollow: str
    dashes: str
    width: float
    height: float


def strip(outcomes: str) -> Strip:
    """Squares of 11 units for up to four outcomes, of 7 beyond."""
    size = 11 if len(outcomes) <= 4 else 7  # noqa: PLR2004
    places = {mark: [number * (size + 2) for number, each in enumerate(outcomes) if each == mark] for mark in "10-"}
    side = f"{size - 1.5:g}"  # the outline is 1.5 wide and drawn inside
    squares = {mark: "".join(f"M{x + 0.75:g} .75h{side}v{side}h-{side}z" for x in places[mark]) for mark in "10"}
    return Strip(
        id="k" + outcomes.replace("-", "m"),
        filled=squares["1"],
        hollow=squares["0"],
        dashes="".join(f"M{x + 1:g} {size / 2:g}h{size - 2}" for x in places["-"]),
        width=max(len(outcomes) * (size + 2) - 2, 1),
        height=size,
    )
