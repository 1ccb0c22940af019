"""CSV export: one row for each selected posting."""

import csv
from collections import defaultdict
from collections.abc import Iterable, Iterator
from decimal import Decimal
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


def running_rows(entries: Iterable[Entry], query: Filter) -> Iterator[tuple[str, ...]]:
    """Yield the selected rows, each with its account's balance after the posting.

    The balance is of the row's commodity alone. It counts the postings that the query
    leaves out as well, so it is what the account really held.
    """
    balances: defaultdict[tuple[str, str], Decimal] = defaultdict(Decimal)
    for entry in entries:
        for posting in entry.postings:
            if posting.amount is None:
                continue
            key = (posting.account, posting.amount.commodity)
            balances[key] += posting.amount.quantity
            if query.keeps_entry(entry) and query.keeps_posting(posting):
                yield (*_row(entry, posting, posting.amount), f"{balances[key]:f}")


def write_csv(
    entries: Iterable[Entry], query: Filter, out: TextIO, *, running: bool = False
) -> None:
    """Write a header and the selected rows, with a column ``balance`` if running."""
    writer = csv.writer(out, lineterminator="\n")
    if running:
        writer.writerow((*COLUMNS, "balance"))
        writer.writerows(running_rows(entries, query))
        return
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
