"""Checks of the numbers that callers pass in."""

from throttle.errors import CostTooHighError, InvalidCostError, InvalidLimitError


def require_positive(name: str, value: float) -> float:
    """Return ``value`` if it is above zero, else raise InvalidLimitError."""
    if value <= 0:
        raise InvalidLimitError(f"{name} must be positive, got {value}")
    return value


def check_cost(cost: float, most: float) -> None:
    """Raise InvalidCostError unless ``0 < cost``, CostTooHighError above ``most``."""
    if cost <= 0:
        raise InvalidCostError(f"cost must be positive, got {cost}")
    if cost > most:
        raise CostTooHighError(f"cost {cost} is above the {most} ever granted at once")
