"""Plain-text double-entry bookkeeping: read a ledger, check it, report on it."""

from ledgerline.amounts import Amount, parse_amount
from ledgerline.entries import Entry, Posting
from ledgerline.errors import LedgerError
from ledgerline.journal import load_journal

__all__ = [
    "Amount",
    "Entry",
    "LedgerError",
    "Posting",
    "load_journal",
    "parse_amount",
]
