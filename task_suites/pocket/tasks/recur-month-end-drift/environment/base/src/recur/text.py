"""Writing a rule as text that `parse_rule` reads back."""

from recur.rule import MonthEnd, NthWeekday, Rule

_NAMES = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_ORDINALS = {1: "1st", 2: "2nd", 3: "3rd", 4: "4th", 5: "5th", -1: "last"}


def format_rule(rule: Rule) -> str:
    """Return the shortest text for a rule.

    The text leaves out `week_start`, for which the grammar has no words.
    """
    clauses = [_frequency(rule)]
    if rule.weekdays:
        clauses.append(f"on {', '.join(_NAMES[day] for day in sorted(rule.weekdays))}")
    if rule.nth_weekday is not None:
        clauses.append(f"on the {_place(rule.nth_weekday)}")
    if rule.month_end is MonthEnd.CLAMP:
        clauses.append("or last day")
    if rule.count is not None:
        clauses.append(f"for {rule.count} {'time' if rule.count == 1 else 'times'}")
    if rule.until is not None:
        clauses.append(f"until {rule.until.isoformat()}")
    return " ".join(clauses)


def _frequency(rule: Rule) -> str:
    unit = rule.frequency.value
    return f"every {unit}" if rule.interval == 1 else f"every {rule.interval} {unit}s"


def _place(place: NthWeekday) -> str:
    return f"{_ORDINALS[place.nth]} {_NAMES[place.weekday]}"
