"""Entries and postings: the values that the whole program passes around."""

from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal

from ledgerline.amounts import Amount
from ledgerline.errors import LedgerError


@dataclass(frozen=True, slots=True)
class Posting:
    """One leg of an entry; without an amount it takes what the others leave over."""

    account: str
    amount: Amount | None
    cost: Amount | None = None
    line: int = 0

    @property
    def weight(self) -> Amount | None:
        """What the posting counts for when its entry is balanced."""
        return self.cost if self.cost is not None else self.amount


@dataclass(frozen=True, slots=True)
class Entry:
    """A dated set of postings that sum to zero once the entry is balanced."""

    date: date
    description: str
    postings: tuple[Posting, ...]
    line: int = 0


def residue(postings: tuple[Posting, ...]) -> dict[str, Decimal]:
    """Sum the weights by commodity and keep what is not zero, in order of use."""
    sums: dict[str, Decimal] = {}
    for posting in postings:
        weight = posting.weight
        if weight is not None:
            before = sums.get(weight.commodity, Decimal(0))
            sums[weight.commodity] = before + weight.quantity
    return {commodity: total for commodity, total in sums.items() if total}


def balance_entry(entry: Entry) -> Entry:
    """Fill in the posting without an amount, or make sure that none is needed.

    Raises LedgerError if two amounts are missing or if the entry does not balance.
    """
    open_postings = [posting for posting in entry.postings if posting.amount is None]
    if len(open_postings) > 1:
        raise LedgerError("only one posting may leave out its amount", entry.line)
    left = residue(entry.postings)
    if open_postings:
        return _fill(entry, open_postings[0], left)
    if left:
        wrong = ", ".join(f"{total} {name}" for name, total in left.items())
        raise LedgerError(f"entry is out of balance by {wrong}", entry.line)
    return entry


def _fill(entry: Entry, missing: Posting, left: dict[str, Decimal]) -> Entry:
    if not left:
        raise LedgerError("nothing is left over for the open posting", entry.line)
    place = entry.postings.index(missing)
    postings = entry.postings[:place] + spread(missing, left)
    return replace(entry, postings=postings + entry.postings[place + 1 :])


def spread(missing: Posting, left: dict[str, Decimal]) -> tuple[Posting, ...]:
    """Turn an open posting into one posting for each commodity left over."""
    return tuple(
        replace(missing, amount=Amount(-total, name)) for name, total in left.items()
    )
