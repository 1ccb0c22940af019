"""Trial: one run of one variant on one task, keyed; rollout plus evidence plus three verdicts."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from harness.evidence import Evidence
    from harness.gates import Gate, Verdict
    from harness.rollout import Rollout


class Stage(StrEnum):
    """What a trial was run for."""

    PREFLIGHT = "preflight"
    SCREEN = "screen"
    CONFIRM = "confirm"
    VAULT = "vault"
    SHADOW = "shadow"
    ADHOC = "adhoc"


class Arm(StrEnum):
    """Which side of a comparison a trial belongs to."""

    BASELINE = "baseline"
    VARIANT = "variant"


SHORT = 16  # hex digits of a variant's id that its trials' keys carry


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class TrialKey:
    """Identity of a trial. `confirmation` is its registered confirmation, empty elsewhere; `repeat` counts from 1."""

    stage: Stage
    confirmation: str
    arm: Arm
    variant: str
    task: str
    repeat: int

    def __str__(self) -> str:
        return f"{self.stage}/{self.confirmation or '-'}/{self.arm}/{self.variant[:SHORT]}/{self.task}/{self.repeat}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One finished trial: what the agent left, what was measured, and the verdict of each gate, in gate order.

    `events` is what the agent reached for outside its sandbox; it decides nothing.
    """

    key: TrialKey
    rollout: Rollout
    evidence: Evidence
    verdicts: tuple[Verdict, Verdict, Verdict]
    flags: tuple[str, ...] = ()
    events: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    attempts: int = 1
    cost_usd: float | None = 0.0
    seconds: tuple[tuple[str, float], ...] = ()

    def verdict(self, gate: Gate) -> Verdict:
        """The verdict of one gate."""
        return next(verdict for verdict in self.verdicts if verdict.gate is gate)
