"""Campaign: one frozen configuration with its ledger rows, and where it stands, derived from those rows and nothing else.

Owns the reading of the ledger by the loop (current baseline, open batch, edits tried) so that resuming needs no state of its own.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from harness.decision.options import Options
from harness.decision.scorecard import Outcome
from harness.errors import LedgerError
from harness.ledger.rows import pack_tree, unpack_tree
from harness.ledger.schema import DecisionRow, EventRow, PromotionRow, TrialRow, VariantRow
from harness.ports import Growth
from harness.skill import Variant
from harness.skill_io import make_skill
from harness.trial import Arm

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from harness.decision.rules import Rules
    from harness.evaluate import Progress
    from harness.ledger.schema import Ledger
    from harness.ports import Proposal, Proposer
    from harness.skill import Skill
    from harness.task import Suite
    from harness.trial import TrialKey

RUN_BEGAN = "run began"
Rates = tuple[float, float, float]  # tests, style, review


class Shuffle(Protocol):
    """A seeded order: the same label and items give the same order, on any machine."""

    def __call__(self, label: str, items: Sequence[str]) -> tuple[str, ...]:
        """The items in a random order that depends on the campaign's seed and the label."""
        ...


class Trials(Protocol):
    """What runs planned trials: `evaluate.Evaluator`, or a double that draws them."""

    def run(self, title: str, plans: Iterable[tuple[TrialKey, Variant]]) -> Mapping[TrialKey, TrialRow]:
        """The rows by key, in the plan's order. Raises BudgetSpentError."""
        ...


@dataclass(frozen=True, kw_only=True)
class Campaign:
    """What the loop works with.

    `truth` is the rehearsal's known rates of a skill on holdout, None with a live model. With `approve` a promotion waits for
    a person.
    """

    ledger: Ledger
    suite: Suite
    rules: Rules
    evaluator: Trials
    proposer: Proposer
    progress: Progress
    shuffle: Shuffle
    leaks: Callable[[Variant], str]
    truth: Callable[[Skill], Rates | None]
    publish: Callable[[Variant], None]
    batch: int
    memory: bool
    options: Options = field(default_factory=Options)
    approve: bool = False
    keep_back: Callable[[int], None] = lambda _: None  # trials of the night's end that the budget is to keep room for
    growth: Growth = field(default_factory=Growth)
    plateau: int = 0  # generations without a promotion after which the mix of operators widens; 0 for never

    def start(self, skill: Skill) -> None:
        """Write generation 0, the skill that the campaign starts from."""
        self.ledger.add(self.variant_row(Variant(skill=skill), batch=0))

    def variant_row(self, variant: Variant, *, batch: int, proposal: Proposal | None = None, refused: str = "") -> VariantRow:
        """The row of a variant, with its files stored as a blob; `proposal` is what it came by, if it was proposed."""
        rates = self.truth(variant.skill)
        return VariantRow(
            key=f"generation/{variant.generation}",
            generation=variant.generation,
            batch=batch,
            variant=variant.id,
            parent=variant.parent or "",
            operator=variant.operator,
            rationale=variant.rationale,
            find=proposal.find if proposal else "",
            replace=proposal.replace if proposal else "",
            file=proposal.file if proposal else "",
            parts=proposal.parts if proposal else (),
            name=variant.skill.name,
            tree_blob=self.ledger.put_blob(pack_tree(variant.skill.tree)),
            refused=refused,
            truth="" if rates is None else " ".join(f"{rate:.4f}" for rate in rates),
        )

    def variant(self, row: VariantRow) -> Variant:
        """The variant that a row describes.

        Raises:
            LedgerError: if its blob is absent or changed.
        """
        return variant_of(self.ledger, row)

    def variants(self) -> tuple[VariantRow, ...]:
        """All generations in order, 0 first."""
        return tuple(sorted(self.ledger.rows(VariantRow), key=lambda row: row.generation))

    def baseline(self) -> Variant:
        """The variant currently promoted: the last promotion's, or the start."""
        promotions = self.ledger.rows(PromotionRow)
        return self.by_id(promotions[-1].new if promotions else self.variants()[0].variant)

    def by_id(self, variant: str) -> Variant:
        """The first generation with this content.

        Raises:
            LedgerError: if there is none.
        """
        rows = [row for row in self.variants() if row.variant == variant]
        if not rows:
            raise LedgerError(f"no generation of campaign {self.ledger.campaign} has the content {variant}")
        return self.variant(rows[0])

    def decided(self) -> dict[int, DecisionRow]:
        """The decisions by generation."""
        return {row.generation: row for row in self.ledger.rows(DecisionRow)}

    def open_batch(self) -> tuple[VariantRow, ...]:
        """The last batch's rows, when one of them has no decision yet; else nothing."""
        rows = self.variants()
        last = [row for row in rows if row.batch == rows[-1].batch and row.generation]
        decided = self.decided()
        return tuple(last) if any(row.generation not in decided for row in last) else ()

    def since_promotion(self) -> tuple[VariantRow, ...]:
        """The generations made from the current baseline: the edits that memory shows and bans."""
        baseline = self.baseline().id
        return tuple(row for row in self.variants() if row.generation and row.parent == baseline)

    @property
    def night(self) -> int:
        """The number of the run that was begun last, 0 before the first; a comparison by hand belongs to none."""
        return sum(row.name == RUN_BEGAN for row in self.events())

    def ancestors(self, variant: Variant) -> frozenset[str]:
        """The contents that a variant was made from, parent by parent."""
        parents = {row.variant: row.parent for row in self.variants() if row.parent != row.variant}
        found, parent = set[str](), variant.parent
        while parent and parent not in found:
            found.add(parent)
            parent = parents.get(parent)
        return frozenset(found)

    def winning_trials(self, baseline: Variant) -> tuple[TrialRow, ...]:
        """The holdout trials of a baseline in the confirmation that promoted it; none for the start."""
        won = {
            row.confirmation for row in self.ledger.rows(DecisionRow) if row.variant == baseline.id and row.decision == "promote"
        }
        rows = [row for row in self.ledger.rows(TrialRow) if row.confirmation in won and row.variant == baseline.id]
        last = rows[-1].confirmation if rows else ""
        return tuple(row for row in rows if row.confirmation == last and row.arm == Arm.VARIANT)

    def events(self) -> tuple[EventRow, ...]:
        """All events of the campaign, in order."""
        return self.ledger.rows(EventRow)

    def event(self, key: str, name: str, data: str) -> EventRow:
        """Write an event once, and return it as it stands."""
        self.ledger.add(EventRow(key=key, name=name, data=data))
        found = self.ledger.find(EventRow, key)
        if found is None:
            raise LedgerError(f"event {key} was written and is not there")
        return found


def variant_of(ledger: Ledger, row: VariantRow) -> Variant:
    """The variant that a row describes.

    Raises:
        LedgerError: if its blob is absent or changed.
    """
    skill = make_skill(unpack_tree(ledger.blob(row.tree_blob)), row.name, row.key)
    return Variant(
        skill=skill, parent=row.parent or None, operator=row.operator, rationale=row.rationale, generation=row.generation
    )


def short_id(*parts: object) -> str:
    """An identity made of parts: 16 hex digits of their SHA-256."""
    return hashlib.sha256("|".join(str(part) for part in parts).encode()).hexdigest()[:16]


def outcome_of(row: TrialRow) -> Outcome:
    """A trial's row as one row of a comparison's table."""
    tests, style, review = ({"pass": True, "fail": False}.get(row.verdicts[gate]) for gate in ("tests", "style", "review"))
    return Outcome(
        arm=Arm(row.arm),
        task=row.task,
        repeat=row.repeat,
        tests=tests,
        style=style,
        review=review,
        cause=row.ending if row.ending != "finished" else "",
        flagged=bool(row.flags),
    )
