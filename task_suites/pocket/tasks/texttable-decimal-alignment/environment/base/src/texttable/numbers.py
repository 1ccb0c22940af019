"""Numbers as text: rounding and grouping of digits."""

from decimal import ROUND_HALF_UP, Decimal, localcontext

from texttable.errors import TableError

Number = int | float | Decimal


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
