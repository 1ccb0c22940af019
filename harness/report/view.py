"""What the page is about: the campaign's history, the comparison on the first screen, and the evidence behind it.

`Scene` is what every section is made from. Task names are given out here, so that a private suite's never leave.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from harness.approval import unanswered
from harness.decision.result import Status
from harness.decision.rules import Rules
from harness.errors import LedgerError
from harness.leak import LEAK
from harness.ledger.rows import trial_document, unpack_tree
from harness.ledger.schema import EventRow, TrialRow
from harness.printable import printable
from harness.report.money import Costs, costs_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from harness.decision.result import Decision
    from harness.ledger.history import Generation, History, Placed
    from harness.ledger.rows import TrialDocument
    from harness.tree import Tree

_LEAKED = f"Not tried: {LEAK}"


@dataclass(frozen=True, kw_only=True)
class Scene:
    """A campaign to be shown. `blob` reads blobs; with `private` no task name, code, quote or statement is shown."""

    history: History
    blob: Callable[[str], bytes]
    private: bool = False

    @cached_property
    def shown(self) -> Generation | None:
        """The generation on the first screen: the last one that won, else the closest, else None."""
        won = [generation for generation in self.history.generations if generation.won]
        return won[-1] if won else next(iter(self.by_closeness), None)

    @cached_property
    def by_closeness(self) -> tuple[Generation, ...]:
        """Generations not promoted: most gates beaten first, then the smallest worst p; those never compared at the end."""
        rest = [generation for generation in self.history.generations if not generation.won]
        return tuple(sorted(rest, key=_distance))

    @cached_property
    def waiting(self) -> tuple[str, ...]:
        """The ids of decisions whose promotion waits for a person."""
        return unanswered(placed.row for placed in self.history.placed(EventRow))

    @cached_property
    def decision(self) -> Decision | None:
        """The shown generation's decision, computed from its outcomes; None where no holdout trial was run."""
        return self.shown.record.decision if self.shown else None

    def withheld(self, generation: Generation) -> bool:
        """Whether a generation's own words hold code or text of a private suite: it was refused for just that."""
        return self.private and generation.decision.row.reason.startswith(_LEAKED)

    def reason(self, generation: Generation) -> str:
        """The reason of a generation's decision, as far as it may be shown."""
        return f"{_LEAKED}." if self.withheld(generation) else generation.decision.row.reason

    @cached_property
    def costs(self) -> Costs:
        """What everything cost."""
        return costs_of(self.history)

    @cached_property
    def rules(self) -> Rules:
        """The rules in force: of the shown comparison, else of any, else the usual ones."""
        records = [generation.record for generation in self.history.generations]
        if self.shown:
            records.insert(0, self.shown.record)
        return next((record.rules for record in records if record.rules), Rules())

    @cached_property
    def tasks(self) -> dict[str, str]:
        """The name to print of each task of the ledger."""
        names = {placed.row.task for placed in self.history.placed(TrialRow)}
        names |= {outcome.task for generation in self.history.generations for outcome in generation.record.outcomes}
        if self.private:
            return {name: f"task {number}" for number, name in enumerate(sorted(names), start=1)}
        return {name: printable(name, lines=False) for name in names}

    def tree(self, variant: str) -> Tree | None:
        """A variant's files, or None where the ledger does not hold them."""
        row = self.history.variant(variant)
        try:
            return unpack_tree(self.blob(row.tree_blob)) if row and row.tree_blob else None
        except LedgerError:
            return None

    def generation_of_variant(self, variant: str) -> int | None:
        """The number of the generation that first had this text."""
        row = self.history.variant(variant)
        return row.generation if row else None

    @cached_property
    def trials(self) -> tuple[Placed[TrialRow], ...]:
        """The shown comparison's trials, both arms."""
        return tuple(placed for placed in self.shown.trials if placed.row.stage == "confirm") if self.shown else ()

    @cached_property
    def documents(self) -> dict[str, TrialDocument]:
        """What was measured in the shown comparison's trials, by trial key; trials with a damaged blob are left out."""
        found = {}
        for placed in self.trials:
            try:
                found[placed.row.key] = trial_document(placed.row, self.blob)
            except LedgerError:  # told on the page by its count, and by `audit verify` with its name
                continue
        return found


def _distance(generation: Generation) -> tuple[int, int, float, int]:
    decision = generation.record.decision
    if decision is None:
        return 1, 0, 0.0, -generation.number
    beaten = sum(gate.status is Status.BEATS for gate in decision.gates)
    worst = max((float(gate.last.p) for gate in decision.gates), default=1.0)
    return 0, -beaten, worst, -generation.number
