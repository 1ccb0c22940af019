"""What throttle raises; every class derives from ThrottleError."""


class ThrottleError(Exception):
    """Anything this library raises on purpose."""


class InvalidLimitError(ThrottleError, ValueError):
    """A limiter was set up with a number that makes no sense."""


class RateSyntaxError(InvalidLimitError):
    """A rate such as ``"10/s"`` could not be read."""


class InvalidCostError(ThrottleError, ValueError):
    """A cost is zero or negative."""


class CostTooHighError(InvalidCostError):
    """A cost is more than the limiter can ever grant, however long one waits."""
