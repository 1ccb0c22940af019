"""Amounts: a decimal quantity of one commodity, read from and written as text."""

import re
from dataclasses import dataclass
from decimal import Decimal

from ledgerline.errors import LedgerError

SYMBOLS = {"$": "USD", "€": "EUR", "£": "GBP"}

_AMOUNT = re.compile(
    r"(?P<outer>[-+\u2212]?)\s*"
    r"(?P<prefix>[$€£]|[A-Z]{2,8}(?![A-Z]))?\s*"
    r"(?P<inner>[-+\u2212]?)\s*"
    r"(?P<number>[\d.,]+)\s*"
    r"(?P<suffix>[A-Z]{2,8})?"
)
_PLAIN = re.compile(r"\d+(\.\d+)?|\.\d+")
_GROUPED = re.compile(r"[1-9]\d{0,2}(,\d{3})+(\.\d+)?")


@dataclass(frozen=True, slots=True)
class Amount:
    """So many units of one commodity; the quantity keeps the digits it came with."""

    quantity: Decimal
    commodity: str

    def __neg__(self) -> "Amount":
        """Return the amount that brings this one to zero."""
        return Amount(-self.quantity, self.commodity)

    def __str__(self) -> str:
        """Write the amount as the reports do, say ``-1250.00 EUR``."""
        return f"{self.quantity:f} {self.commodity}"


def parse_amount(text: str) -> Amount:
    """Read an amount such as ``12.50 EUR``, ``EUR 12.50`` or ``$12.50``.

    Raises LedgerError for anything else.
    """
    match = _AMOUNT.fullmatch(text.strip())
    if match is None:
        raise LedgerError(f"cannot read the amount {text.strip()!r}")
    if bool(match["prefix"]) == bool(match["suffix"]):
        raise LedgerError(f"{text.strip()!r} must name exactly one commodity")
    commodity = match["prefix"] or match["suffix"]
    number = parse_number(match["number"])
    negative = is_negative(match["outer"], match["inner"])
    return Amount(-number if negative else number, SYMBOLS.get(commodity, commodity))


def is_negative(outer: str, inner: str) -> bool:
    """Tell whether the signs before and after a symbol make an amount negative.

    Raises LedgerError if both places carry a sign.
    """
    if outer and inner:
        raise LedgerError("an amount takes one sign, before or after its symbol")
    return (outer or inner) in {"-", "\u2212"}


def parse_number(digits: str) -> Decimal:
    """Read digits with a decimal point; commas may only set off groups of three.

    Raises LedgerError if a comma stands anywhere else.
    """
    if _PLAIN.fullmatch(digits) or is_grouped(digits):
        return Decimal(digits.replace(",", ""))
    raise LedgerError(f"cannot read the number {digits!r}")


def is_grouped(digits: str) -> bool:
    """Tell whether the commas of a number set off groups of three digits."""
    return _GROUPED.fullmatch(digits) is not None
