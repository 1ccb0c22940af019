"""Filters: which entries and postings a report is about."""

import calendar
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date

from ledgerline.entries import Entry, Posting
from ledgerline.errors import LedgerError

_BOUND = re.compile(r"(\d{4})(?:-(0[1-9]|1[0-2])(?:-(0[1-9]|[12]\d|3[01]))?)?")


@dataclass(frozen=True, slots=True)
class Filter:
    """What to keep; both ends of the range of dates are included."""

    begin: date = date.min
    end: date = date.max
    account: str = ""
    text: str = ""

    def keeps_entry(self, entry: Entry) -> bool:
        """Tell whether the entry lies in the range and mentions the text."""
        in_range = self.begin <= entry.date <= self.end
        return in_range and self.text.casefold() in entry.description.casefold()

    def keeps_posting(self, posting: Posting) -> bool:
        """Tell whether the posting is on the account or on one below it."""
        if not self.account:
            return True
        return f"{posting.account}:".startswith(f"{self.account}:")

    def select(self, entries: Iterable[Entry]) -> Iterator[tuple[Entry, Posting]]:
        """Yield each posting that is kept, with its entry."""
        for entry in entries:
            if not self.keeps_entry(entry):
                continue
            for posting in entry.postings:
                if self.keeps_posting(posting):
                    yield entry, posting


def first_day(text: str) -> date:
    """Return the first day of ``2024``, of ``2024-02``, or the day ``2024-02-29``.

    Raises LedgerError if the text is no year, month or day.
    """
    year, month, day = _parts(text)
    return _day(text, year, month or 1, day or 1)


def last_day(text: str) -> date:
    """Return the last day of ``2024``, of ``2024-02``, or the day ``2024-02-29``.

    Raises LedgerError if the text is no year, month or day.
    """
    year, month, day = _parts(text)
    first = _day(text, year, month or 12, day or 1)
    length = calendar.monthrange(first.year, first.month)[1]
    return first if day else first.replace(day=length)


def _parts(text: str) -> tuple[int, int | None, int | None]:
    match = _BOUND.fullmatch(text)
    if match is None:
        raise LedgerError(f"{text!r} is no year, month or day")
    year, month, day = match.groups()
    return int(year), month and int(month), day and int(day)


def _day(text: str, year: int, month: int, day: int) -> date:
    try:
        return date(year, month, day)
    except ValueError as error:
        raise LedgerError(f"{text!r} is no year, month or day") from error
