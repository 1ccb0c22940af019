"""The record of a decision: all that is needed to compute it again offline, and the JSON objects made from it.

Owns the shapes. What stands in `context` (hashes, versions, seed, cost, alpha spent) is the loop's to gather.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.decision import signflip
from harness.decision.policy import decide
from harness.decision.rules import Rules, Saturated
from harness.decision.scorecard import Outcome, Table
from harness.errors import InputError
from harness.gates import Gate
from harness.trial import Arm

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from harness.decision.missing import GateMissing
    from harness.decision.result import Decision, GateResult, LookResult

FORMAT = 1

Json = str | int | float | bool | None | list["Json"] | dict[str, "Json"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionRecord:
    """Rules, the whole raw table and the decision that they gave; `context` holds (name, value) pairs about the run."""

    rules: Rules
    outcomes: tuple[Outcome, ...]
    decision: Decision
    context: tuple[tuple[str, str], ...] = ()


def decision_record(outcomes: Iterable[Outcome], rules: Rules, context: Mapping[str, str] | None = None) -> DecisionRecord:
    """Decide, and keep everything; rows and context are put in a fixed order.

    Raises:
        InputError: as `decide`.
    """
    rows = tuple(sorted(outcomes, key=lambda row: (row.task, row.repeat, row.arm)))
    return DecisionRecord(
        rules=rules, outcomes=rows, decision=decide(rows, rules), context=tuple(sorted((context or {}).items()))
    )


def recompute(record: DecisionRecord) -> Decision:
    """The decision again, from the raw table alone; equal to `record.decision` or the record was tampered with."""
    return decide(record.outcomes, record.rules)


def decision_json(decision: Decision) -> dict[str, Json]:
    """The object that `harness decide --json` prints: decision, reason, gates, missing. An infinite t is null."""
    missing: dict[str, Json] = {str(missing.gate): _missing_json(missing) for missing in decision.missing}
    return {
        "decision": str(decision.kind),
        "reason": decision.reason,
        "gates": {str(gate.gate): _gate_json(gate) for gate in decision.gates},
        "missing": missing | {"worst_case": str(decision.worst_case)} if missing else {},
    }


def to_json(record: DecisionRecord) -> str:
    """Canonical JSON: the same record gives the same bytes, on any machine."""
    document: dict[str, Json] = {
        "format": FORMAT,
        "rules": {
            "alpha": record.rules.alpha,
            "looks": record.rules.looks,
            "saturated": str(record.rules.saturated),
            "margin": record.rules.margin,
            "split": record.rules.split,
        },
        "hashes": dict(record.context),
        "outcomes": [_outcome_json(outcome) for outcome in record.outcomes],
        "result": decision_json(record.decision),
        "look": record.decision.look,
        "scores": _scores_json(record),
    }
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def from_json(text: str) -> DecisionRecord:
    """Read a record back; its decision is computed from its table, and must be the one that it states.

    Raises:
        InputError: the text is no such record, or what it states is not what its table gives.
    """
    try:
        document = json.loads(text)
        if document["format"] != FORMAT:
            raise InputError(f"decision record format {document['format']} is not {FORMAT}, the one this version reads")
        stated = document["rules"]
        rules = Rules(**(stated | {"saturated": Saturated(stated["saturated"])}))
        outcomes = tuple(_outcome(row) for row in document["outcomes"])
        context = dict(document["hashes"])
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"not a decision record: {error}") from error
    record = decision_record(outcomes, rules, context)
    if json.loads(to_json(record)) != document:
        raise InputError(f"the record states {document.get('result')}, its table gives {record.decision.reason}")
    return record


def _gate_json(gate: GateResult) -> Json:
    return {
        "status": str(gate.status),
        "delta": None if gate.delta is None else float(gate.delta),
        "interval": None if gate.interval is None else list(gate.interval),
        "looks": [_look_json(look) for look in gate.looks],
        "best_p": float(gate.best_p),
    }


def _look_json(look: LookResult) -> Json:
    return {
        "look": look.look,
        "n_tasks": look.n_tasks,
        "informative": look.informative,
        "p": float(look.p),
        "level": look.level,
        "t": look.t if math.isfinite(look.t) else None,
    }


def _missing_json(missing: GateMissing) -> Json:
    return {
        "pairs": missing.pairs,
        "missing": missing.missing_pairs,
        "baseline": missing.baseline,
        "variant": missing.variant,
        "share": float(missing.share),
        "fisher_p": float(missing.fisher_p),
    }


def _outcome_json(outcome: Outcome) -> Json:
    verdicts: list[Json] = [None if (passed := outcome.passed(gate)) is None else int(passed) for gate in Gate]
    return [str(outcome.arm), outcome.task, outcome.repeat, *verdicts, outcome.cause, int(outcome.flagged)]


def _outcome(row: list[str | int | None]) -> Outcome:
    arm, task, repeat, *verdicts, cause, flagged = row
    tests, style, review = (None if verdict is None else {0: False, 1: True}[int(verdict)] for verdict in verdicts)
    return Outcome(
        arm=Arm(str(arm)),
        task=str(task),
        repeat=int(str(repeat)),
        tests=tests,
        style=style,
        review=review,
        cause=str(cause),
        flagged=bool(flagged),
    )


def _scores_json(record: DecisionRecord) -> Json:
    """The D vector of every look and gate, in task order, as the test saw it."""
    table = Table.of(record.outcomes)
    return {
        str(gate): [list(signflip.scaled(table.scorecard(gate, look).differences)) for look in range(1, record.decision.look + 1)]
        for gate in Gate
    }
