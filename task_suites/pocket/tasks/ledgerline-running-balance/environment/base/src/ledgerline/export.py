"""CSV export: one row for each selected posting."""

import csv
from collections.abc import Iterable, Iterator
from typing import TextIO

from ledgerline.amounts import Amount
from ledgerline.entries import Entry, Posting
from ledgerline.filters import Filter

COLUMNS = ("date", "description", "account", "amount", "commodity")


def export_rows(entries: Iterable[Entry], query: Filter) -> Iterator[tuple[str, ...]]:
    """Yield the fields of each selected posting, in the order of ``COLUMNS``."""
    for entry, posting in query.select(entries):
        if posting.amount is not None:
            yield _row(entry, posting, posting.amount)


def write_csv(entries: Iterable[Entry], query: Filter, out: TextIO) -> None:
    """Write a header and the selected rows."""
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(export_rows(entries, query))


def _row(entry: Entry, posting: Posting, amount: Amount) -> tuple[str, ...]:
    return (
        entry.date.isoformat(),
        entry.description,
        posting.account,
        f"{amount.quantity:f}",
        amount.commodity,
    )
