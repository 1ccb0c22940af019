"""How values are shown in a terminal: decisions, gate tables, JSON. Text of others goes through `printable`."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from harness.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from harness.decision.result import Decision, GateResult
    from harness.ledger.schema import TrialRow


def print_json(document: object) -> None:
    """One JSON document on stdout."""
    sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def say(text: str = "") -> None:
    """One line on stdout, untrusted characters shown."""
    sys.stdout.write(printable(text) + "\n")


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A table on stdout; the first column is text, the others numbers."""
    table = Table(title=printable(title), title_justify="left", title_style="bold")
    for index, column in enumerate(columns):
        table.add_column(column, justify="right" if index else "left", overflow="fold")
    for row in rows:
        table.add_row(*(printable(cell, lines=False) for cell in row))
    _console().print(table)


def print_decision(decision: Decision) -> None:
    """The decision with its three comparisons and its reason."""
    if decision.gates:
        columns = ("gate", "baseline", "variant", "difference", "95 % interval", "better/worse/same", "p", "level", "status")
        print_table(f"Decision at look {decision.look}", columns, [_gate_row(gate) for gate in decision.gates])
    say(f"{decision.kind}: {decision.reason}")
    for note in decision.notes:
        say(f"  note: {note}")


def luck(p: float) -> str:
    """A p to five digits; one that is smaller is never shown as 0."""
    return f"{p:.5f}" if round(p, 5) or not p else "under 0.00001"


def _gate_row(gate: GateResult) -> tuple[str, ...]:
    last = gate.last
    low, high = gate.interval or (float("nan"), float("nan"))
    return (
        str(gate.gate),
        share(gate.baseline_rate),
        share(gate.variant_rate),
        "none" if gate.delta is None else f"{points(float(gate.delta))} points",
        f"{points(low)} to {points(high)}",
        f"{gate.better}/{gate.worse}/{gate.same}",
        luck(float(last.p)),
        f"{last.level:.5f}",
        str(gate.status),
    )


def points(difference: float) -> str:
    """A difference of rates in whole points, with its sign; what rounds to nothing has none below it."""
    return f"{100 * difference:+.0f}".replace("-0", "+0")


def share(rate: object) -> str:
    """A rate as a percentage, or what stands for none."""
    return "none" if rate is None else f"{float(rate):.0%}"  # type: ignore[arg-type]


def rates(rows: Iterable[TrialRow]) -> dict[str, tuple[int, int, int]]:
    """By gate: trials passed, trials judged, trials missing."""
    found = {gate: [0, 0, 0] for gate in ("tests", "style", "review")}
    for row in rows:
        for gate, verdict in row.verdicts.items():
            found[gate][0] += verdict == "pass"
            found[gate][1] += verdict != "missing"
            found[gate][2] += verdict == "missing"
    return {gate: (passed, judged, missing) for gate, (passed, judged, missing) in found.items()}


def endings(rows: Iterable[TrialRow]) -> Mapping[str, int]:
    """How the trials ended: disjoint classes that sum to the total."""
    counts: dict[str, int] = {}
    for row in rows:
        counts[row.ending] = counts.get(row.ending, 0) + 1
    return dict(sorted(counts.items()))


def _console() -> Console:
    return Console(
        file=sys.stdout, width=None if sys.stdout.isatty() else 120, force_terminal=None if sys.stdout.isatty() else False
    )
