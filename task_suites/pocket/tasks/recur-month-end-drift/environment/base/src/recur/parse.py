"""Reading a rule from text, such as "every 2 weeks on mon, thu until 2024-05-01".

Case and commas do not matter. The clauses behind the frequency come in any order.
"""

import re
from dataclasses import replace
from datetime import date

from recur.errors import RuleSyntaxError
from recur.rule import Frequency, MonthEnd, NthWeekday, Rule

_WORD = re.compile(r"[^\s,]+")

_ADVERBS = {
    "daily": Frequency.DAILY,
    "weekly": Frequency.WEEKLY,
    "monthly": Frequency.MONTHLY,
    "yearly": Frequency.YEARLY,
}
_UNITS = {frequency.value: frequency for frequency in Frequency}
_UNITS |= {f"{frequency.value}s": frequency for frequency in Frequency}

_DAY_NAMES = (
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
)
_WEEKDAYS = {name[:3]: number for number, name in enumerate(_DAY_NAMES)}
_WEEKDAYS |= {name: number for number, name in enumerate(_DAY_NAMES)}

_WEEKDAY_GROUPS = {"weekdays": (0, 1, 2, 3, 4), "weekends": (5, 6)}

_ORDINALS = {"1st": 1, "2nd": 2, "3rd": 3, "4th": 4, "5th": 5, "last": -1}


class _Words:
    """The words of one text, read from left to right."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._matches = list(_WORD.finditer(text))
        self._read = 0

    def peek(self) -> str | None:
        """Return the next word in lower case, or None at the end."""
        if self._read == len(self._matches):
            return None
        return self._matches[self._read].group().lower()

    def take(self, expected: str) -> str:
        """Read the next word; `expected` names what the caller needs there."""
        word = self.peek()
        if word is None:
            message = f"expected {expected}, but the text ends"
            raise RuleSyntaxError(message, text=self._text, position=len(self._text))
        self._read += 1
        return word

    def reject(self, expected: str) -> RuleSyntaxError:
        """Return the error that says that the word just read is not `expected`."""
        match = self._matches[self._read - 1]
        message = f"expected {expected}, found {match.group()!r}"
        return RuleSyntaxError(message, text=self._text, position=match.start())


def parse_rule(text: str) -> Rule:
    """Read a rule.

    Raises:
        RuleSyntaxError: The text does not follow the grammar of the README.
        RuleError: The text can be read, but its parts do not go together.
    """
    words = _Words(text)
    rule = _read_frequency(words)
    seen: set[str] = set()
    while words.peek() is not None:
        clause = words.take("a clause")
        if clause not in _CLAUSES or clause in seen:
            raise words.reject("another clause or the end")
        seen.add(clause)
        rule = _CLAUSES[clause](words, rule)
    return rule


def _read_frequency(words: _Words) -> Rule:
    word = words.take("'every' or a frequency")
    if word in _ADVERBS:
        return Rule(frequency=_ADVERBS[word])
    if word != "every":
        raise words.reject("'every' or a frequency")
    interval = 1
    if (words.peek() or "").isdecimal():
        interval = _read_number(words)
    unit = words.take("a unit of time")
    if unit not in _UNITS:
        raise words.reject("a unit of time")
    return Rule(frequency=_UNITS[unit], interval=interval)


def _read_number(words: _Words) -> int:
    word = words.take("a number")
    if not word.isdecimal():
        raise words.reject("a number")
    return int(word)


def _read_on(words: _Words, rule: Rule) -> Rule:
    if words.peek() == "the":
        return _read_nth_weekday(words, rule)
    weekdays = _read_weekdays(words)
    while words.peek() is not None and words.peek() not in _CLAUSES:
        weekdays |= _read_weekdays(words)
    return replace(rule, weekdays=tuple(sorted(weekdays)))


def _read_weekdays(words: _Words) -> set[int]:
    word = words.take("a weekday")
    if word in _WEEKDAY_GROUPS:
        return set(_WEEKDAY_GROUPS[word])
    if word not in _WEEKDAYS:
        raise words.reject("a weekday")
    return {_WEEKDAYS[word]}


def _read_nth_weekday(words: _Words, rule: Rule) -> Rule:
    words.take("'the'")
    ordinal = words.take("1st to 5th or last")
    if ordinal not in _ORDINALS:
        raise words.reject("1st to 5th or last")
    weekday = words.take("a weekday")
    if weekday not in _WEEKDAYS:
        raise words.reject("a weekday")
    place = NthWeekday(nth=_ORDINALS[ordinal], weekday=_WEEKDAYS[weekday])
    return replace(rule, nth_weekday=place)


def _read_month_end(words: _Words, rule: Rule) -> Rule:
    for expected in ("last", "day"):
        if words.take(f"{expected!r}") != expected:
            raise words.reject(f"{expected!r}")
    return replace(rule, month_end=MonthEnd.CLAMP)


def _read_count(words: _Words, rule: Rule) -> Rule:
    count = _read_number(words)
    if words.take("'times'") not in ("time", "times"):
        raise words.reject("'times'")
    return replace(rule, count=count)


def _read_until(words: _Words, rule: Rule) -> Rule:
    word = words.take("a date")
    try:
        until = date.fromisoformat(word)
    except ValueError:
        raise words.reject("a date such as 2024-05-01") from None
    return replace(rule, until=until)


_CLAUSES = {
    "on": _read_on,
    "or": _read_month_end,
    "for": _read_count,
    "until": _read_until,
}
