"""From the text of a ledger to balanced entries in order of date.

The grammar lives here; what amounts look like is the business of amounts.
"""

import re
from collections.abc import Iterable, Iterator
from datetime import date

from ledgerline.amounts import Amount, parse_amount
from ledgerline.assertions import check_assertions
from ledgerline.entries import Entry, Posting, balance_entry
from ledgerline.errors import LedgerError

_HEADER = re.compile(r"(?P<date>\d{4}-\d{2}-\d{2})\s+(?P<description>\S.*)")
_GAP = re.compile(r"\s{2,}|\t")
_COST = re.compile(r"(?P<amount>[^@]*?)\s*(?P<sign>@@?)\s*(?P<cost>[^@]*)")


def load_journal(text: str) -> tuple[Entry, ...]:
    """Read a ledger: parse it, balance each entry, sort by date, check assertions.

    Entries of one day keep the order of the file. Raises LedgerError with the line.
    """
    entries = [balance_entry(entry) for entry in parse_entries(text)]
    ordered = tuple(sorted(entries, key=lambda entry: entry.date))
    check_assertions(ordered)
    return ordered


def parse_entries(text: str) -> Iterator[Entry]:
    """Yield the entries of a ledger as they are written, not yet balanced."""
    header: tuple[int, str] | None = None
    block: list[tuple[int, str]] = []
    for number, line in _meaningful_lines(text):
        if line[0].isspace():
            if header is None:
                raise LedgerError("a posting needs an entry above it", number)
            block.append((number, line))
            continue
        if header is not None:
            yield _entry(header, block)
        header, block = (number, line), []
    if header is not None:
        yield _entry(header, block)


def _meaningful_lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), start=1):
        code = line.split(";", 1)[0].rstrip()
        if code and not code.startswith("#"):
            yield number, code


def _entry(header: tuple[int, str], block: Iterable[tuple[int, str]]) -> Entry:
    number, line = header
    match = _HEADER.fullmatch(line)
    if match is None:
        raise LedgerError("an entry starts with a date and a description", number)
    try:
        day = date.fromisoformat(match["date"])
    except ValueError as error:
        raise LedgerError(f"no such day: {match['date']}", number) from error
    postings = tuple(_posting(place, text) for place, text in block)
    if len(postings) < 2:
        raise LedgerError("an entry needs two postings or more", number)
    return Entry(day, match["description"], postings, number)


def _posting(number: int, line: str) -> Posting:
    account, *rest = _GAP.split(line.strip(), maxsplit=1)
    try:
        return parse_posting(account, rest[0] if rest else "", number)
    except LedgerError as error:
        raise error.at(number) from error


def parse_posting(account: str, text: str, line: int = 0) -> Posting:
    """Read what follows the account: an amount, its cost, an asserted balance."""
    value, equals, asserted = text.partition("=")
    amount, cost = parse_valued(value.strip())
    return Posting(
        account,
        amount,
        cost,
        parse_amount(asserted) if equals else None,
        line,
    )


def parse_valued(text: str) -> tuple[Amount | None, Amount | None]:
    """Read an amount and its total cost: ``@`` is the price of one, ``@@`` of all.

    The cost carries the sign of the amount. Raises LedgerError if the price is
    negative or has no amount before it.
    """
    match = _COST.fullmatch(text)
    if match is None:
        return (parse_amount(text) if text else None), None
    amount, price = parse_amount(match["amount"]), parse_amount(match["cost"])
    if price.quantity < 0:
        raise LedgerError("a price cannot be negative")
    if match["sign"] == "@":
        return amount, Amount(amount.quantity * price.quantity, price.commodity)
    return amount, -price if amount.quantity < 0 else price
