"""One campaign as its ledger tells it: every row with its place and time, and the generations put together from them.

Reads the entries in one query, so that a page or an answer made beside a running writer is of one moment.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Generic, TypeVar

from harness.decision.arms import arm_source
from harness.errors import InputError
from harness.ledger.record import Record, read_record
from harness.ledger.schema import (
    ROWS,
    CallRow,
    CampaignRow,
    ConfirmationRow,
    DecisionRow,
    EventRow,
    PromotionRow,
    Row,
    TrialRow,
    VariantRow,
    VoteRow,
)
from harness.ledger.store import row_of
from harness.ledger.subjects import Subjects

if TYPE_CHECKING:
    from collections.abc import Iterable

    from harness.ledger.chain import Entry, Head
    from harness.ledger.store import Store

R = TypeVar("R", bound=Row)


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed(Generic[R]):
    """A row with its number in the ledger and the time of its writing."""

    seq: int
    time: str
    row: R


@dataclass(frozen=True, kw_only=True)
class Generation:
    """One variant with its one decision. Its trials are the variant's screen and both arms of its confirmation.

    `calls` are those of its proposal and of its trials, with those of what was given up half-way and made again.
    `borrowed` are the trials of a stored baseline arm that its confirmation was paired with; they were run, and paid, elsewhere.
    """

    number: int
    variant: Placed[VariantRow] | None
    decision: Placed[DecisionRow]
    confirmation: Placed[ConfirmationRow] | None
    trials: tuple[Placed[TrialRow], ...]
    calls: tuple[Placed[CallRow], ...]
    borrowed: tuple[Placed[TrialRow], ...] = ()

    @cached_property
    def record(self) -> Record:
        """The decision's record, read."""
        return read_record(self.decision.row)

    @property
    def won(self) -> bool:
        """Whether it beat the baseline. In a comparison by hand nothing is promoted by that."""
        return self.decision.row.decision == "promote"


@dataclass(frozen=True, kw_only=True)
class History:
    """All rows of one campaign, in the order of writing, with the last of them as `head`."""

    campaign: str
    head: Head
    rows: dict[type[Row], tuple[Placed[Row], ...]]

    def placed(self, model: type[R]) -> tuple[Placed[R], ...]:
        """All rows of one table with their places."""
        return self.rows.get(model, ())  # type: ignore[return-value]  # filled by table, so each tuple is of its key's rows

    @cached_property
    def settings(self) -> CampaignRow:
        """The campaign's own row.

        Raises:
            InputError: the campaign was never begun in this ledger.
        """
        found = self.placed(CampaignRow)
        if not found:
            raise InputError(
                f"campaign {self.campaign[:16]} has no row in this ledger; `harness audit list` shows those there are"
            )
        return found[0].row

    @cached_property
    def times(self) -> tuple[str, str]:
        """When the first and the last row of the campaign were written."""
        times = [placed.time for rows in self.rows.values() for placed in rows]
        return min(times), max(times)

    @cached_property
    def generations(self) -> tuple[Generation, ...]:
        """Every decided generation, in the order of decision."""
        variants = {placed.row.generation: placed for placed in self.placed(VariantRow)}
        confirmations = {placed.row.key: placed for placed in self.placed(ConfirmationRow)}
        trials, calls = self._by_generation
        return tuple(
            Generation(
                number=placed.row.generation,
                variant=variants.get(placed.row.generation),
                decision=placed,
                confirmation=confirmations.get(placed.row.confirmation),
                trials=tuple(trials[placed.row.generation]),
                calls=tuple(calls[placed.row.generation]),
                borrowed=self._arm(confirmations.get(placed.row.confirmation)),
            )
            for placed in self.placed(DecisionRow)
        )

    def _arm(self, confirmation: Placed[ConfirmationRow] | None) -> tuple[Placed[TrialRow], ...]:
        if confirmation is None or not confirmation.row.arm:
            return ()
        source, side = arm_source(confirmation.row.arm)
        return tuple(it for it in self.placed(TrialRow) if it.row.confirmation == source and it.row.arm == side)

    @cached_property
    def undecided(self) -> tuple[Placed[VariantRow], ...]:
        """Variants proposed and not decided: a run that goes on, or was cut."""
        decided = {generation.number for generation in self.generations}
        return tuple(
            placed for placed in self.placed(VariantRow) if placed.row.generation not in decided and placed.row.generation
        )

    def generation_of(self, subject: str) -> int | None:
        """The generation that a call's subject belongs to, given up or not; None for the baseline's own trials."""
        return self._subjects.generation_of(subject)

    @cached_property
    def _subjects(self) -> Subjects:
        variants = (placed.row for placed in self.placed(VariantRow))
        return Subjects(self.campaign, variants, (placed.row for placed in self.placed(ConfirmationRow)))

    @cached_property
    def _by_generation(self) -> tuple[dict[int, list[Placed[TrialRow]]], dict[int, list[Placed[CallRow]]]]:
        trials: dict[int, list[Placed[TrialRow]]] = defaultdict(list)
        calls: dict[int, list[Placed[CallRow]]] = defaultdict(list)
        for trial in self.placed(TrialRow):
            if (number := self.generation_of(trial.row.key)) is not None:
                trials[number].append(trial)
        for call in self.placed(CallRow):
            if (number := self.generation_of(call.row.subject)) is not None:
                calls[number].append(call)
        return trials, calls

    @cached_property
    def votes(self) -> dict[str, tuple[Placed[VoteRow], ...]]:
        """The votes of each trial, by trial key."""
        found: dict[str, list[Placed[VoteRow]]] = defaultdict(list)
        for placed in self.placed(VoteRow):
            found[placed.row.trial].append(placed)
        return {key: tuple(votes) for key, votes in found.items()}

    @cached_property
    def promotions(self) -> tuple[Placed[PromotionRow], ...]:
        """The baseline's moves, in order."""
        return self.placed(PromotionRow)

    @property
    def baseline(self) -> str:
        """The variant currently promoted: the last promotion's, else the start; empty before the start."""
        return self.promotions[-1].row.new if self.promotions else self.start

    @property
    def start(self) -> str:
        """The variant that the campaign began with; empty before it is written."""
        return next((placed.row.variant for placed in self.placed(VariantRow)), "")

    def variant(self, content: str) -> VariantRow | None:
        """The first generation with this content."""
        return next((placed.row for placed in self.placed(VariantRow) if placed.row.variant == content), None)

    def events(self, name: str) -> tuple[Placed[EventRow], ...]:
        """The events of one name."""
        return tuple(placed for placed in self.placed(EventRow) if placed.row.name == name)

    def event(self, key: str) -> Placed[EventRow] | None:
        """The event of this key, if there is one."""
        return next((placed for placed in self.placed(EventRow) if placed.row.key == key), None)

    def generation(self, number: int) -> Generation | None:
        """The generation of this number, if it was decided."""
        return next((generation for generation in self.generations if generation.number == number), None)


def read_history(store: Store, campaign: str) -> History:
    """Everything that a ledger holds of one campaign.

    Raises:
        InputError: the ledger knows no such campaign.
        LedgerError: a row cannot be read.
    """
    entries = store.entries(campaign)
    if not entries:
        known = ", ".join(name[:16] for name in store.campaigns()) or "none"
        raise InputError(f"{store.path}: no campaign {campaign[:16]}; known are: {known}")
    return History(campaign=campaign, head=entries[-1].head, rows=_by_table(entries))


def _by_table(entries: Iterable[Entry]) -> dict[type[Row], tuple[Placed[Row], ...]]:
    found: dict[type[Row], list[Placed[Row]]] = defaultdict(list)
    for entry in entries:
        if model := ROWS.get(entry.kind):
            found[model].append(Placed(seq=entry.seq, time=entry.time, row=row_of(entry, model)))
    return {model: tuple(rows) for model, rows in found.items()}


def find_decision(store: Store, name: str) -> tuple[History, Generation]:
    """The decision of this id, or of this generation in the newest campaign that has it.

    Raises:
        InputError: there is none, naming those there are.
    """
    known: list[str] = []
    for campaign in reversed(store.campaigns()):
        rows = [row_of(entry, DecisionRow) for entry in store.entries(campaign, DecisionRow.table)]
        found = next((row for row in rows if name in {row.id, str(row.generation)}), None)
        if found:  # only now is the whole campaign read: a ledger may hold a million trials of others
            history = read_history(store, campaign)
            return history, next(it for it in history.generations if it.decision.row.key == found.key)
        known += [row.id for row in rows]
    shown = ", ".join(known[:20]) or "none yet"
    raise InputError(f"no decision {name[:80]!r} in {store.path}; known are: {shown}")
