"""Costs of a campaign, from its booked calls alone: in all, by role, by step, and of one task in each arm."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.counted import counted
from harness.ledger.schema import CallRow, TrialRow
from harness.ledger.subjects import stage_of
from harness.report.figures import in_cents, money, tokens

if TYPE_CHECKING:
    from collections.abc import Iterable

    from harness.ledger.history import Generation, History
    from harness.report.view import Scene

CODER = "coder"
_ROLES = {CODER: "Coding agent", "proposer": "Proposer", "reviewer": "Reviewers"}
_STAGES = {
    "preflight": "Preflight: the baseline alone",
    "vault": "Vault",
    "shadow": "A/A shadow",
    "adhoc": "Single trials by hand",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CostLine:
    """One line of a cost table; `share` is per cent of the whole."""

    name: str
    trials: int
    read: str
    written: str
    cost: str
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """The cost section. `exact` is None where the price of one call is unknown."""

    exact: float | None
    total: str
    trials: int
    roles: tuple[CostLine, ...]
    steps: tuple[CostLine, ...]
    cached: str

    def of_step(self, name: str) -> str:
        """The cost of one step, as its table shows it."""
        return next((line.cost for line in self.steps if line.name == name), money(0.0))


def step_of(generation: Generation) -> str:
    """The name of a generation's step."""
    return f"Generation {generation.number}"


def costs_of(history: History) -> Costs:
    """All costs; the lines of each table add up to the total to the cent."""
    calls = tuple(placed.row for placed in history.placed(CallRow))
    trials = tuple(placed.row for placed in history.placed(TrialRow))
    by_role: dict[str, list[CallRow]] = defaultdict(list)
    by_step: dict[str, list[CallRow]] = {step: [] for step in _steps(history)}
    for call in calls:
        by_role[_role(call.role)].append(call)
        by_step.setdefault(_step(history, call.subject), []).append(call)
    counts: dict[str, int] = defaultdict(int)
    for trial in trials:
        counts[_step(history, trial.key)] += 1
    exact = total_of(calls)
    return Costs(
        exact=exact,
        total=money(exact),
        trials=len(trials),
        roles=_lines(by_role, counts, exact),
        steps=_lines({step: rows for step, rows in by_step.items() if rows or counts[step]}, counts, exact),
        cached=_cached(call for call in calls if _role(call.role) == _ROLES[CODER]),
    )


def total_of(calls: Iterable[CallRow]) -> float | None:
    """The sum of the calls' costs; None where one is unknown."""
    total = 0.0
    for call in calls:
        if call.cost_usd is None:
            return None
        total += call.cost_usd
    return total


def per_task(scene: Scene) -> tuple[float, float] | None:
    """(baseline, variant): the agent's mean cost of a trial in the shown comparison; None where it cannot be told."""
    if not scene.shown:
        return None
    arms = {placed.row.key: placed.row.arm for placed in scene.trials}
    sums, counts = {"baseline": 0.0, "variant": 0.0}, {"baseline": 0, "variant": 0}
    for arm in arms.values():
        counts[arm] += 1
    for placed in scene.shown.calls:
        if placed.row.subject in arms and placed.row.role == CODER:
            if placed.row.cost_usd is None:
                return None
            sums[arms[placed.row.subject]] += placed.row.cost_usd
    if not all(counts.values()):
        return None
    return sums["baseline"] / counts["baseline"], sums["variant"] / counts["variant"]


def _steps(history: History) -> tuple[str, ...]:
    """The steps in the order of the campaign."""
    return (_STAGES["preflight"], *map(step_of, history.generations))


def _step(history: History, subject: str) -> str:
    number = history.generation_of(subject)
    if number is not None:
        return f"Generation {number}"
    stage = stage_of(subject)
    return _STAGES.get(stage, "Dev trials of the baseline" if stage == "screen" else "Other calls")


def _role(role: str) -> str:
    """Calls name their asker behind the role, as in `reviewer:correctness:original:1`."""
    kind = role.partition(":")[0]
    return _ROLES.get(kind, kind.capitalize())


def _lines(groups: dict[str, list[CallRow]], counts: dict[str, int], exact: float | None) -> tuple[CostLine, ...]:
    known = in_cents([total_of(rows) or 0.0 for rows in groups.values()])
    return tuple(
        CostLine(
            name=name,
            trials=counts.get(name, 0),
            read=tokens(sum(_read(row) for row in rows)),
            written=tokens(sum(row.usage.output for row in rows)),
            cost=money(None if total_of(rows) is None else cents),
            share=round(100 * cents / exact, 1) if exact else 0.0,
        )
        for (name, rows), cents in zip(groups.items(), known, strict=True)
    )


def _read(row: CallRow) -> int:
    usage = row.usage
    return usage.input + usage.cache_read + usage.cache_write_5m + usage.cache_write_1h


def _cached(calls: Iterable[CallRow]) -> str:
    rows = tuple(calls)
    read = sum(map(_read, rows))
    cached = sum(row.usage.cache_read for row in rows)
    if not read:
        return "No call of the agent is booked."
    return f"{cached / read:.0%} of what the agent read came from the cache, in {counted(len(rows), 'call')}.".replace(
        "%", " %", 1
    )
