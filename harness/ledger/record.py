"""The record of a decision as it stands in its row: what was stated, the raw table, the rules, the hashes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from harness.decision.policy import decide
from harness.decision.record import decision_json
from harness.decision.rules import Rules, Saturated
from harness.decision.scorecard import Outcome
from harness.errors import LedgerError
from harness.trial import Arm

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harness.decision.result import Decision
    from harness.ledger.schema import DecisionRow
    from harness.ports import Json


@dataclass(frozen=True, kw_only=True)
class Record:
    """One decision's record. `result` is what `harness decide --json` prints; outcomes are empty without a holdout trial."""

    result: Mapping[str, Json]
    outcomes: tuple[Outcome, ...]
    rules: Rules | None
    hashes: tuple[tuple[str, str], ...]

    @cached_property
    def decision(self) -> Decision | None:
        """The decision computed again from the raw table; None where no holdout trial was run."""
        return decide(self.outcomes, self.rules) if self.outcomes and self.rules else None

    def states(self, decision: Decision) -> bool:
        """Whether the record states this very decision: kind, reason, every gate and every look."""
        computed = json.loads(json.dumps(decision_json(decision)))
        return all(self.result.get(name) == value for name, value in computed.items())


def read_record(row: DecisionRow) -> Record:
    """Read a decision row's record.

    Raises:
        LedgerError: it is no such record.
    """
    try:
        parsed = _Document.model_validate(json.loads(row.record))
    except (ValueError, ValidationError) as error:
        raise LedgerError(f"decision {row.id}: its record is not readable: {str(error).splitlines()[0]}") from error
    return Record(
        result=cast("Mapping[str, Json]", parsed.result) or _undecided(row),
        outcomes=tuple(_outcome(outcome) for outcome in parsed.outcomes),
        rules=_rules(parsed.rules) if parsed.rules else None,
        hashes=tuple(sorted(parsed.hashes.items())),
    )


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _OutcomeRow(_Part):
    arm: Literal["baseline", "variant"]
    task: str
    repeat: int
    tests: bool | None
    style: bool | None
    review: bool | None
    cause: str = ""
    flagged: bool = False

    @model_validator(mode="before")
    @classmethod
    def _from_list(cls, value: object) -> object:
        """The record's rows are lists, in the order of the fields: shorter by half in a long table."""
        return dict(zip(cls.model_fields, value, strict=False)) if isinstance(value, list) else value


class _RulesPart(_Part):
    alpha: float = 0.05
    looks: int = 8
    saturated: Saturated = Saturated.BLOCK
    margin: float = 0.0
    split: str = "holdout"


class _Document(_Part):
    """As `harness.decision.record` writes it; a generation that met no holdout trial has none of these."""

    result: dict[str, object] = Field(default_factory=dict)
    outcomes: tuple[_OutcomeRow, ...] = ()
    rules: _RulesPart | None = None
    hashes: dict[str, str] = Field(default_factory=dict)


def _undecided(row: DecisionRow) -> Mapping[str, Json]:
    return {"decision": row.decision, "reason": row.reason, "gates": {}, "missing": {}}


def _outcome(row: _OutcomeRow) -> Outcome:
    return Outcome(
        arm=Arm(row.arm),
        task=row.task,
        repeat=row.repeat,
        tests=row.tests,
        style=row.style,
        review=row.review,
        cause=row.cause,
        flagged=row.flagged,
    )


def _rules(part: _RulesPart) -> Rules:
    return Rules(alpha=part.alpha, looks=part.looks, saturated=part.saturated, margin=part.margin, split=part.split)
