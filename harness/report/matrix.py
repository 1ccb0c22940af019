"""Task by task: the raw outcomes of both arms as strips, and as the plain table that the page computes p from again."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.decision.scorecard import Table
from harness.decision.wording import MINUS
from harness.gates import Gate
from harness.report.drawing import Strip, strip

if TYPE_CHECKING:
    from harness.decision.scorecard import Outcome
    from harness.report.view import Scene

_MARKS = {True: "1", False: "0", None: "-"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One gate of one task: both strips, and the change in repeats passed over complete pairs."""

    gate: str
    baseline: Strip
    variant: Strip
    passed: str
    change: int

    @property
    def shown(self) -> str:
        """The change with its sign, "=" for none."""
        return "=" if not self.change else f"{'+' if self.change > 0 else MINUS}{abs(self.change)}"

    @property
    def tone(self) -> str:
        """up, dn or eq."""
        return "eq" if not self.change else "up" if self.change > 0 else "dn"


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRow:
    """One task on all three gates."""

    name: str
    cells: tuple[Cell, ...]
    raw: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix:
    """The groups of tasks, every strip drawn once, and the plain table; `sweeps` repeats of each."""

    groups: tuple[tuple[str, tuple[TaskRow, ...]], ...]
    strips: tuple[Strip, ...]
    raw: str
    sweeps: int
    tasks: int

    @property
    def worse(self) -> int:
        """Tasks that got worse on some gate."""
        return len(self.groups[0][1])

    @property
    def better(self) -> int:
        """Tasks that got better on some gate and worse on none."""
        return len(self.groups[1][1])


def matrix_of(scene: Scene) -> Matrix | None:
    """The shown comparison, up to its deciding look; None where no holdout trial was run."""
    decision = scene.decision
    if scene.shown is None or decision is None:
        return None
    table = Table.of(scene.shown.record.outcomes)
    found: dict[str, list[tuple[Outcome | None, Outcome | None]]] = defaultdict(list)
    for pair in table.pairs:
        if pair.sweep <= decision.look:
            found[pair.task].append((pair.baseline, pair.variant))
    rows = [_task(scene.tasks[task], pairs) for task, pairs in found.items()]
    rows.sort(key=lambda row: (sum(cell.change for cell in row.cells), row.name))
    worse = tuple(row for row in rows if any(cell.change < 0 for cell in row.cells))
    better = tuple(row for row in reversed(rows) if row not in worse and any(cell.change for cell in row.cells))
    same = tuple(row for row in rows if not any(cell.change for cell in row.cells))
    groups = (("Worse on at least one gate", worse), ("Better on at least one gate, worse on none", better))
    strips = {drawn.id: drawn for row in rows for cell in row.cells for drawn in (cell.baseline, cell.variant)}
    return Matrix(
        groups=(*groups, ("The same on all three", same)),
        strips=tuple(strips[name] for name in sorted(strips)),
        raw=_raw(sorted(rows, key=lambda row: row.name), decision.look),
        sweeps=decision.look,
        tasks=len(rows),
    )


def _task(name: str, pairs: list[tuple[Outcome | None, Outcome | None]]) -> TaskRow:
    marks = {gate: ["".join(_mark(pair[side], gate) for pair in pairs) for side in (0, 1)] for gate in Gate}
    raw = tuple(marks[gate][side] for side in (0, 1) for gate in Gate)
    return TaskRow(name=name, cells=tuple(_cell(gate, *marks[gate]) for gate in Gate), raw=raw)


def _mark(outcome: Outcome | None, gate: Gate) -> str:
    return _MARKS[outcome.passed(gate) if outcome else None]


def _cell(gate: Gate, baseline: str, variant: str) -> Cell:
    complete = [(before, after) for before, after in zip(baseline, variant, strict=True) if "-" not in {before, after}]
    before, after = (sum(pair[side] == "1" for pair in complete) for side in (0, 1))
    return Cell(
        gate=gate.capitalize(),
        baseline=strip(baseline),
        variant=strip(variant),
        passed=f"{before} of {len(complete)}, then {after} of {len(complete)}",
        change=after - before,
    )


def _raw(rows: list[TaskRow], sweeps: int) -> str:
    """Columns of one width; the last six words of a line are the outcomes, whatever a name holds."""
    wide = min(max((len(row.name) for row in rows), default=0), 40)
    column = max(sweeps, len("b:review"))
    head = ("b:tests", "b:style", "b:review", "v:tests", "v:style", "v:review")
    lines = [("task", head), *((row.name, row.raw) for row in rows)]
    return "\n".join(f"{name:<{wide}}  {'  '.join(f'{cell:<{column}}' for cell in cells)}".rstrip() for name, cells in lines)
