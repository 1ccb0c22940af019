"""Attacks and flags: everything that tried to get a verdict by other means than good work, in either arm."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.counted import counted
from harness.ledger.schema import TrialRow, VariantRow
from harness.printable import printable

if TYPE_CHECKING:
    from harness.report.view import Scene

MOST_LINES = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class FlagLine:
    """What was seen, where, and what was done."""

    seen: str
    where: str
    done: str


def flag_lines(scene: Scene) -> tuple[FlagLine, ...]:
    """Flags of trials, what agents reached for, files of theirs that were not used, and variants that carried an answer."""
    groups: dict[tuple[str, str], list[TrialRow]] = defaultdict(list)
    for placed in scene.history.placed(TrialRow):
        for flag in placed.row.flags:
            groups[flag, "flag"].append(placed.row)
        for event in placed.row.events:
            groups[event, "event"].append(placed.row)
        for dropped in placed.row.dropped:
            groups[dropped, "dropped"].append(placed.row)
    ordered = sorted(groups.items(), key=lambda group: (group[0][1] != "flag", -len(group[1]), group[0][0]))
    lines = [_line(scene, seen, kind, rows) for (seen, kind), rows in ordered]
    lines += [
        FlagLine(
            seen="Reference text inside the skill",
            where=f"Generation {placed.row.generation}",
            done=f"Refused before any trial: {printable(placed.row.refused, lines=False)}",
        )
        for placed in scene.history.placed(VariantRow)
        if "reference" in placed.row.refused
    ]
    return tuple(lines)


def _line(scene: Scene, seen: str, kind: str, rows: list[TrialRow]) -> FlagLine:
    first = rows[0]
    failed = sum("fail" in row.verdicts.values() for row in rows)
    where = f"{counted(len(rows), 'trial')}; first {first.arm}, {scene.tasks[first.task]}, repeat {first.repeat}"
    if kind == "event":
        done = "Nothing came of it: there is no network, and a history of one commit. Judged as it stands."
        return FlagLine(seen=f"Reached for the {printable(seen, lines=False)}", where=where, done=done)
    shown = "a file of the agent" if scene.private else printable(seen, lines=False)
    if kind == "dropped":
        return FlagLine(
            seen=f"Not used: {shown}", where=where, done="The file of the suite won; the trial was judged without this one."
        )
    done = f"Judged as it stands by hidden tests and canaries: {failed} of {len(rows)} failed a gate."
    return FlagLine(seen=shown, where=where, done=done)
