"""Recurring calendar dates from small, readable rules."""

from recur.errors import RecurError, RuleError, RuleSyntaxError
from recur.expand import expand
from recur.parse import parse_rule
from recur.rule import Frequency, MonthEnd, NthWeekday, Rule
from recur.schedule import Schedule
from recur.text import format_rule

__all__ = [
    "Frequency",
    "MonthEnd",
    "NthWeekday",
    "RecurError",
    "Rule",
    "RuleError",
    "RuleSyntaxError",
    "Schedule",
    "expand",
    "format_rule",
    "parse_rule",
]
