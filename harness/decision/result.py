"""What a comparison came to, as values: the decision, each gate's status and numbers, and what was missing."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fractions import Fraction

    from harness.decision.missing import GateMissing
    from harness.gates import Gate


class DecisionKind(StrEnum):
    """How a generation ends. `open` is no end: the next look is still to come."""

    PROMOTE = "promote"
    REJECT = "reject"
    INCONCLUSIVE = "inconclusive"
    BLOCKED_SATURATED = "blocked_saturated"
    INVALID = "invalid"
    NOT_CONFIRMED = "not_confirmed"
    OPEN = "open"


class Status(StrEnum):
    """Where one gate stands at the deciding look.

    `beats` once its p was at or under a look's level, and for good; `futile` with t under the line; at the last look
    `saturated` without room to beat, `behind` with no gain; else `open`.
    """

    BEATS = "beats"
    FUTILE = "futile"
    SATURATED = "saturated"
    BEHIND = "behind"
    OPEN = "open"


class WorstCase(StrEnum):
    """Whether the promotion survives its recomputation against the variant; `not_needed` where nothing would be promoted."""

    NOT_NEEDED = "not_needed"
    STANDS = "stands"
    FALLS_ON_MISSING = "falls_on_missing"
    FALLS_ON_FLAGGED = "falls_on_flagged"


@dataclass(frozen=True, slots=True, kw_only=True)
class LookResult:
    """One gate at one look: tasks with a complete pair, those of them with a difference, p, its level, and t."""

    look: int
    n_tasks: int
    informative: int
    p: Fraction
    level: float
    t: float

    @property
    def beats(self) -> bool:
        """Luck alone does this well no more often than this look allows; compared exactly."""
        return self.p <= self.level


@dataclass(frozen=True, slots=True, kw_only=True)
class GateResult:
    """One gate at the deciding look.

    Rates are means over tasks of passes per complete pair; `delta` is their difference, with its 95 % interval; the
    three are None without a complete pair. `better`, `worse` and `same` count tasks. `room` (m) counts the tasks that
    the baseline failed at least once, `best_p` is the p of a variant that passes everything.
    """

    gate: Gate
    status: Status
    looks: tuple[LookResult, ...]
    beaten_at: int | None
    baseline_rate: Fraction | None
    variant_rate: Fraction | None
    delta: Fraction | None
    interval: tuple[float, float] | None
    better: int
    worse: int
    same: int
    room: int
    best_p: Fraction

    @property
    def last(self) -> LookResult:
        """The deciding look."""
        return self.looks[-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One comparison's end, or its state so far, with the reason in a sentence.

    `gates` and `missing` are in gate order, and empty when no holdout trial was run. `relaxed` lists gates that were
    not beaten but let through as non-inferior. `notes` tell what a reader should know of the table's shape.
    """

    kind: DecisionKind
    reason: str
    look: int
    gates: tuple[GateResult, ...] = ()
    missing: tuple[GateMissing, ...] = ()
    worst_case: WorstCase = WorstCase.NOT_NEEDED
    relaxed: tuple[Gate, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def promoted(self) -> bool:
        """Whether the variant becomes the baseline."""
        return self.kind is DecisionKind.PROMOTE

    @property
    def closed(self) -> bool:
        """Whether no further sweep is to be run."""
        return self.kind is not DecisionKind.OPEN

    def gate(self, gate: Gate) -> GateResult:
        """One gate's result."""
        return next(result for result in self.gates if result.gate is gate)


def untested(kind: DecisionKind, reason: str) -> Decision:
    """A generation that ends without a holdout trial: a no-op, dropped by the screen, or not confirmed."""
    return Decision(kind=kind, reason=reason, look=0)
