"""The interval of a share of trials, for rates that are shown beside no comparison."""

from __future__ import annotations

import math

from harness.decision import normal


def wilson(passed: int, judged: int, confidence: float = 0.95) -> tuple[float, float]:
    """The two-sided Wilson score interval of `passed` of `judged` (Wilson 1927); (0, 1) where nothing was judged."""
    if not judged:
        return 0.0, 1.0
    z = normal.quantile((1 + confidence) / 2)
    rate, spread = passed / judged, z * z / judged
    centre = (rate + spread / 2) / (1 + spread)
    half = z * math.sqrt(rate * (1 - rate) / judged + spread / (4 * judged)) / (1 + spread)
    return centre - half if passed else 0.0, centre + half if passed < judged else 1.0  # exact at the ends, where rounding is not
