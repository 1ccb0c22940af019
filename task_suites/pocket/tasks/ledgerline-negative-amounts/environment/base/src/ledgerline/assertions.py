"""Balance assertions: ``= 120.00 EUR`` after a posting pins its account's balance."""

from collections import defaultdict
from collections.abc import Iterable
from decimal import Decimal

from ledgerline.entries import Entry
from ledgerline.errors import LedgerError


def check_assertions(entries: Iterable[Entry]) -> None:
    """Follow the balances in the order given and compare them where asserted.

    An assertion speaks of one account without its sub-accounts, of one commodity, and
    of the moment right after its own posting. Raises LedgerError at the first that
    does not hold.
    """
    balances: defaultdict[tuple[str, str], Decimal] = defaultdict(Decimal)
    for entry in entries:
        for posting in entry.postings:
            if posting.amount is not None:
                key = (posting.account, posting.amount.commodity)
                balances[key] += posting.amount.quantity
            if posting.asserted is None:
                continue
            actual = balances[posting.account, posting.asserted.commodity]
            if actual != posting.asserted.quantity:
                raise LedgerError(
                    f"{posting.account} holds {actual} {posting.asserted.commodity},"
                    f" not {posting.asserted}",
                    posting.line,
                )
