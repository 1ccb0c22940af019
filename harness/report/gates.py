"""The gate table and the looks of one comparison, in figures and in words."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.counted import counted
from harness.decision.looks import futility_lines, levels
from harness.decision.result import DecisionKind, Status
from harness.decision.wording import LUCK_OF, luck, often, points
from harness.gates import Gate
from harness.report.drawing import Axis, LooksChart, Whisker, axis_for, looks_chart, whisker
from harness.report.figures import p_text, rates, signed

if TYPE_CHECKING:
    from harness.decision.result import Decision, GateResult, LookResult
    from harness.decision.rules import Rules

QUESTIONS = {
    Gate.TESTS: "Do the hidden tests pass?",
    Gate.STYLE: "No new violation of the project\N{RIGHT SINGLE QUOTATION MARK}s own rules?",
    Gate.REVIEW: "Would the reviewers approve?",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class GateView:
    """One row of the gate table. `tone` is good, bad or empty: good only for a gate that beats."""

    name: str
    question: str
    before: str
    after: str
    delta: str
    interval: str
    tasks: str
    luck: str
    verdict: str
    look: int
    tone: str
    verdict_tone: str
    mark: str
    whisker: Whisker


@dataclass(frozen=True, slots=True, kw_only=True)
class GateTable:
    """The rows on their common axis, which is widened for all of them together."""

    axis: Axis
    rows: tuple[GateView, ...]


def gate_table(decision: Decision) -> GateTable | None:
    """The three rows, or as many as have at least one complete pair; None where none has."""
    measured = [gate for gate in decision.gates if gate.delta is not None]
    if not measured:
        return None
    axis = axis_for(gate.interval for gate in measured if gate.interval)
    return GateTable(axis=axis, rows=tuple(_gate_view(gate, decision, axis) for gate in measured))


def _gate_view(gate: GateResult, decision: Decision, axis: Axis) -> GateView:
    look = _deciding(gate)
    shown, allowed = luck(look.p, look.level)
    verdict, verdict_tone, mark = _verdict(gate, decision)
    before, after = rates(gate.baseline_rate or 0, gate.variant_rate or 0)
    delta = gate.delta or 0
    return GateView(
        name=gate.gate.capitalize(),
        question=QUESTIONS[gate.gate],
        before=before,
        after=after,
        delta=points(delta, signed=True),
        interval=_interval(gate.interval),
        tasks=f"{counted(gate.better, 'task')} better, {gate.worse} worse, {gate.same} the same.",
        luck=f"By luck alone {often(shown)} in {LUCK_OF:,}; up to {allowed:,} allowed.",
        verdict=verdict,
        look=look.look,
        tone="good" if gate.status is Status.BEATS else "bad" if delta < 0 else "",
        verdict_tone=verdict_tone,
        mark=mark,
        whisker=whisker(axis, float(delta), gate.interval),
    )


def _deciding(gate: GateResult) -> LookResult:
    """The look at which the gate beat, else the last."""
    return next((look for look in gate.looks if look.look == gate.beaten_at), gate.last)


def _verdict(gate: GateResult, decision: Decision) -> tuple[str, str, str]:
    """(word, tone, mark)."""
    if gate.gate in decision.relaxed:
        return "Not worse", "warn", "bar"
    match gate.status:
        case Status.BEATS:
            return "Beats", "good", "tick"
        case Status.SATURATED:
            return "Saturated", "warn", "blocked"
        case Status.FUTILE | Status.BEHIND if (gate.delta or 0) < 0:
            return "Behind", "bad", "cross"
        case Status.FUTILE | Status.BEHIND:
            return "Too little", "", "bar"
        case _:
            tone = "warn" if decision.kind is DecisionKind.INCONCLUSIVE else ""
            return "Not shown", tone, "bar"


def _interval(interval: tuple[float, float] | None) -> str:
    if interval is None:
        return "no interval from one task"
    low, high = interval
    return f"95 % interval {signed(low * 100)} to {signed(high * 100)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class LookRow:
    """One line of the table under the charts."""

    look: int
    gate: str
    tasks: int
    informative: int
    p: str
    level: str
    t: str
    line: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LooksView:
    """One gate's chart with its one-line result, for the caption and for those who do not see the drawing."""

    gate: str
    result: str
    ps: str
    chart: LooksChart


def looks_views(decision: Decision, rules: Rules) -> tuple[LooksView, ...]:
    """The charts of the three gates."""
    allowed = levels(rules.alpha, rules.looks)
    return tuple(
        LooksView(
            gate=gate.gate.capitalize(),
            result=_result(gate),
            ps=", ".join(p_text(look.p) for look in gate.looks),
            chart=looks_chart(gate.looks, allowed),
        )
        for gate in decision.gates
    )


def look_rows(decision: Decision, rules: Rules) -> tuple[LookRow, ...]:
    """Every gate at every look, look by look."""
    lines = (*(f"{line:g}" for line in futility_lines(rules.looks)), "none")
    found = [(look, gate.gate) for gate in decision.gates for look in gate.looks]
    return tuple(
        LookRow(
            look=look.look,
            gate=gate.capitalize(),
            tasks=look.n_tasks,
            informative=look.informative,
            p=p_text(look.p),
            level=f"{look.level:.5f}",
            t=f"{look.t:.2f}" if math.isfinite(look.t) else "infinite",
            line=lines[look.look - 1],
        )
        for look, gate in sorted(found, key=lambda place: (place[0].look, tuple(Gate).index(place[1])))
    )


def _result(gate: GateResult) -> str:
    if gate.beaten_at:
        return f"beats at look {gate.beaten_at}"
    last = gate.last
    return f"{p_text(last.p)} at look {last.look}, {p_text(last.level)} needed"
