"""Where the time went: the phases of a trial, as each trial measured them."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from harness.ledger.schema import TrialRow
from harness.report.figures import seconds_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.ledger.history import History

# The phases that `evaluate` marks, in the order of a trial.
_PHASES = {
    "open": "Container made ready",
    "agent": "Agent at work",
    "take-out": "Change taken out",
    "grade": "Hidden tests and linters",
    "review": "Reviewers",
    "close": "Container removed",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseLine:
    """One phase: how many trials reached it, its median, the time that nine in ten kept within, its share of all in per cent."""

    name: str
    trials: int
    median: str
    ninety: str
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Timings:
    """All phases, and the time of all trials in sum, which ran side by side."""

    phases: tuple[PhaseLine, ...]
    total: str
    median: str


def timings_of(history: History) -> Timings | None:
    """The timings of a campaign; None before its first trial."""
    trials = [placed.row.seconds for placed in history.placed(TrialRow) if placed.row.seconds]
    by_phase: dict[str, list[float]] = defaultdict(list)
    for seconds in trials:
        for phase, taken in seconds.items():
            by_phase[phase].append(taken)
    if not trials:
        return None
    total = sum(map(sum, by_phase.values()))
    known = [*(name for name in _PHASES if name in by_phase), *sorted(by_phase.keys() - _PHASES.keys())]
    return Timings(
        phases=tuple(_line(_PHASES.get(name, name), by_phase[name], total) for name in known),
        total=seconds_text(total),
        median=seconds_text(median(sum(seconds.values()) for seconds in trials)),
    )


def _line(name: str, taken: Sequence[float], total: float) -> PhaseLine:
    ordered = sorted(taken)
    return PhaseLine(
        name=name,
        trials=len(ordered),
        median=seconds_text(median(ordered)),
        ninety=seconds_text(ordered[-(-9 * len(ordered) // 10) - 1]),  # the smallest that nine in ten do not pass
        share=round(100 * sum(ordered) / total, 1) if total else 0.0,
    )
