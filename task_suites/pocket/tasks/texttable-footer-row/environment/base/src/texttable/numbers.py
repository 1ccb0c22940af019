"""Numbers as text: rounding, grouping of digits, and lining up decimal points."""

import re
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal, localcontext

from texttable.errors import TableError
from texttable.width import display_width

Number = int | float | Decimal

_NUMBER = re.compile(r"[-+]?\d+([,' _\u00a0\u202f]\d{3})*(?P<fraction>\.\d+)?")


def format_number(value: Number, places: int | None = None, grouping: str = "") -> str:
    """Write a number with so many decimal places, or as it is where that is ``None``.

    Halves are rounded away from zero. ``grouping`` sets off groups of three digits
    before the decimal point. Infinities and NaN are written as Python does.
    """
    number = Decimal(str(value))
    if not number.is_finite():
        return str(value)
    with localcontext(rounding=ROUND_HALF_UP):
        text = f"{number:zf}" if places is None else f"{number:z.{places}f}"
    return group_digits(text, grouping) if grouping else text


def group_digits(text: str, separator: str) -> str:
    """Set off groups of three digits before the decimal point of a written number.

    Raises TableError if the separator could be taken for a part of the number.
    """
    if "." in separator or any(char.isdigit() for char in separator):
        raise TableError(f"{separator!r} cannot set off groups of digits")
    whole, point, fraction = text.partition(".")
    grouped = f"{int(whole):,}".replace(",", separator)
    if whole.startswith("-") and not grouped.startswith("-"):
        grouped = f"-{grouped}"
    return grouped + point + fraction


def align_points(cells: Sequence[str]) -> list[str]:
    """Add blanks behind numbers, so that their points line up once they stand right.

    A number without a point ends where the others have theirs. What is no number, and
    everything where no number has a point, stays as it is.
    """
    matches = [_NUMBER.fullmatch(cell) for cell in cells]
    tails = [display_width(match["fraction"] or "") for match in matches if match]
    longest = max(tails, default=0)
    return [
        cell + " " * (longest - display_width(match["fraction"] or "")) if match else cell
        for cell, match in zip(cells, matches, strict=True)
    ]
