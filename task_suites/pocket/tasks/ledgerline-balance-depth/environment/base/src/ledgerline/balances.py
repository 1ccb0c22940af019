"""The balance report: what each account holds, and the sum of it all."""

from collections.abc import Iterable
from decimal import Decimal

from ledgerline.amounts import Amount
from ledgerline.entries import Entry
from ledgerline.filters import Filter

Balances = dict[str, dict[str, Decimal]]


def account_balances(entries: Iterable[Entry], query: Filter) -> Balances:
    """Sum the selected postings by account and commodity, zeros included."""
    balances: Balances = {}
    for _, posting in query.select(entries):
        if posting.amount is not None:
            _add(balances, posting.account, posting.amount)
    return balances


def total(balances: Balances) -> dict[str, Decimal]:
    """Sum all accounts by commodity."""
    everything: Balances = {}
    for sums in balances.values():
        for commodity, quantity in sums.items():
            _add(everything, "", Amount(quantity, commodity))
    return everything.get("", {})


def render_balances(balances: Balances) -> list[str]:
    """Lay the report out: amounts to the right, accounts by name, then the total."""
    rows = [
        (str(Amount(quantity, commodity)), account)
        for account, sums in sorted(balances.items())
        for commodity, quantity in sorted(sums.items())
        if quantity
    ]
    sums = sorted(total(balances).items())
    totals = [str(Amount(quantity, name)) for name, quantity in sums if quantity]
    totals = totals or ["0"]
    width = max(len(text) for text in [*totals, *(amount for amount, _ in rows)])
    lines = [f"{amount:>{width}}  {account}" for amount, account in rows]
    return [*lines, "-" * width, *(f"{text:>{width}}" for text in totals)]


def _add(balances: Balances, account: str, amount: Amount) -> None:
    sums = balances.setdefault(account, {})
    before = sums.get(amount.commodity, Decimal(0))
    sums[amount.commodity] = before + amount.quantity
