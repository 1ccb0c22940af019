"""The exceptions of the package; callers catch `RecurError` to catch them all."""


class RecurError(Exception):
    """Anything that recur refuses."""


class RuleError(RecurError):
    """The parts of a rule do not make sense together."""


class RuleSyntaxError(RuleError):
    """A rule's text cannot be read."""
