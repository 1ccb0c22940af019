"""What ran beside the decisions: A/A shadows, vault tests, control arms and rollbacks, a line each. They decide nothing."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.controls import CONTROL
from harness.counted import counted
from harness.gates import Gate
from harness.report.figures import percent, signed
from harness.rollback import ROLLBACK
from harness.shadowing import SHADOW
from harness.vault import VAULT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.report.view import Scene


@dataclass(frozen=True, slots=True, kw_only=True)
class BesideRow:
    """One line: what it was, what it showed gate by gate (empty where nothing was measured), and what that means."""

    what: str
    gates: tuple[str, str, str]
    told: str


_NOTHING = ("", "", "")


def beside_rows(scene: Scene) -> tuple[BesideRow, ...]:
    """Every line; none where nothing ran beside."""
    return (*_shadows(scene), *_vaults(scene), *_controls(scene), *_rollbacks(scene))


def _shadows(scene: Scene) -> Iterator[BesideRow]:
    found = [json.loads(placed.row.data) for placed in scene.history.events(SHADOW)]
    if found:
        tests, style, review = (sum(bool(shadow["crossed"].get(gate)) for shadow in found) for gate in Gate)
        told = "The baseline against itself, by the same rule: over many, each gate may cross"
        yield BesideRow(
            what=counted(len(found), "A/A shadow"),
            gates=(f"{tests} of {len(found)} crossed", f"{style} of {len(found)}", f"{review} of {len(found)}"),
            told=f"{told} {100 * scene.rules.alpha:g} times in 100.",
        )


def _vaults(scene: Scene) -> Iterator[BesideRow]:
    for placed in scene.history.events(VAULT):
        night, found = placed.row.key.partition("/")[2], json.loads(placed.row.data)
        if "skipped" in found:
            yield BesideRow(what=f"Vault, run {night}", gates=_NOTHING, told=f"Skipped: {found['skipped']}.")
            continue
        tests, style, review = (_difference(found["gates"][gate]) for gate in Gate)
        told = (
            f"Points by which the last baseline passes more often than the one that the run began with, on "
            f"{counted(found['tasks'], 'task')} opened once; 95 % intervals. Reported only."
        )
        yield BesideRow(what=f"Vault, run {night}", gates=(tests, style, review), told=told)


def _difference(gate: dict[str, object]) -> str:
    delta, interval = gate["delta"], gate["interval"]
    if not isinstance(delta, float):
        return "nothing measured"
    low, high = interval if isinstance(interval, list) else (None, None)
    return signed(100 * delta) + (
        f" ({signed(100 * low)} to {signed(100 * high)})" if low is not None and high is not None else ""
    )


def _controls(scene: Scene) -> Iterator[BesideRow]:
    meaning = {
        "skill": "The skill that the campaign began with.",
        "placebo": "Neutral text of the same length in its place.",
        "no_skill": "Next to no text in its place.",
    }
    for placed in scene.history.events(CONTROL):
        name, found = placed.row.key.partition("/")[2], json.loads(placed.row.data)
        rates = [found["rates"][gate] for gate in Gate]
        tests, style, review = ("nothing measured" if rate is None else percent(rate) for rate in rates)
        told = f"{meaning.get(name, '')} {counted(found['trials'], 'holdout trial')}."
        yield BesideRow(what=f"Control arm: {name}", gates=(tests, style, review), told=told.strip())


def _rollbacks(scene: Scene) -> Iterator[BesideRow]:
    for placed in scene.history.promotions:
        if placed.row.key.startswith(ROLLBACK):
            went = scene.generation_of_variant(placed.row.old)
            told = f"The baseline went back from generation {went} to generation {placed.row.generation}: {placed.row.reason}"
            yield BesideRow(what="Rollback", gates=_NOTHING, told=told)
