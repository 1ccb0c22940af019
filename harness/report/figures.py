"""Numbers as a reader of the page sees them. Rounded for reading only, and never onto the other side of a limit."""

from __future__ import annotations

import math
from datetime import datetime
from fractions import Fraction
from typing import TYPE_CHECKING

from harness.decision.wording import MINUS

if TYPE_CHECKING:
    from collections.abc import Sequence

_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def percent(rate: Fraction | float) -> str:
    """A share as a whole per cent; only a true 0 or 1 is shown as 0 % or 100 %."""
    whole = round(float(rate) * 100)
    if whole in {0, 100} and rate not in {0, 1}:
        return "under 1 %" if whole == 0 else "over 99 %"
    return f"{whole} %"


def rates(before: Fraction | float, after: Fraction | float) -> tuple[str, str]:
    """Two shares side by side, with a decimal where whole per cents would hide that they differ."""
    if before != after and percent(before) == percent(after):
        return f"{float(before) * 100:.1f} %", f"{float(after) * 100:.1f} %"
    return percent(before), percent(after)


def signed(number: float, digits: int = 0) -> str:
    """A number with its sign, "0" without one."""
    text = f"{abs(number):.{digits}f}"
    if not float(text):
        return text
    return f"{'+' if number > 0 else MINUS}{text}"


def money(usd: float | None, digits: int = 2) -> str:
    """US dollars; an unknown price says so and is never 0."""
    if usd is None:
        return "unknown"
    return f"${usd:,.{digits}f}" if usd else "$0"


def in_cents(parts: Sequence[float]) -> tuple[float, ...]:
    """The parts rounded to cents so that they add up to their rounded sum (largest remainders go up)."""
    exact = [Fraction(part) * 100 for part in parts]
    cents = [int(part) for part in exact]
    short = round(sum(exact)) - sum(cents)
    by_remainder = sorted(range(len(parts)), key=lambda place: (cents[place] - exact[place], place))
    for place in by_remainder[:short]:
        cents[place] += 1
    return tuple(cent / 100 for cent in cents)


def p_text(p: Fraction | float) -> str:
    """A p or a level: enough digits to tell it from its neighbours, two that count where it is tiny."""
    value = float(p)
    if 0 < value < 1e-9:  # noqa: PLR2004
        return "under 0.000000001"
    if 0 < value < 0.0001:  # noqa: PLR2004
        return f"{value:.{1 - math.floor(math.log10(value))}f}"
    return f"{value:.{2 if value >= 0.1 else 4 if value >= 0.001 else 5}f}"  # noqa: PLR2004


def tokens(number: int) -> str:
    """A count of tokens, short."""
    if number >= 1_000_000:  # noqa: PLR2004
        return f"{number / 1_000_000:.1f} M"
    return f"{number / 1000:.0f} k" if number >= 10_000 else f"{number:,}"  # noqa: PLR2004


def word(number: int) -> str:
    """A small count as a word."""
    return _WORDS[number] if number < len(_WORDS) else f"{number:,}"


def day_and_hours(first: str, last: str) -> str:
    """The span of two ledger times in UTC."""
    start, end = datetime.fromisoformat(first), datetime.fromisoformat(last)
    day = f"{start.day} {_MONTHS[start.month - 1]} {start.year}"
    until = "" if start.date() == end.date() else f"{end.day} {_MONTHS[end.month - 1]}, "
    return f"{day}, {start:%H:%M} to {until}{end:%H:%M} UTC"


def duration(first: str, last: str) -> str:
    """How long it took from one ledger time to another."""
    return seconds_text((datetime.fromisoformat(last) - datetime.fromisoformat(first)).total_seconds())


def seconds_text(seconds: float) -> str:
    """A time as people say it: tenths of a second under ten, seconds under two minutes, else minutes and hours."""
    if 0 < seconds < 0.05:  # noqa: PLR2004
        return "under 0.1 s"
    if seconds < 120:  # noqa: PLR2004
        return f"{seconds:.0f} s" if round(seconds, 1) >= 10 else f"{seconds:.1f} s"  # noqa: PLR2004
    minutes = round(seconds / 60)
    return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min"  # noqa: PLR2004
