"""Rate limiters that get the clock passed in: bucket, window, quota, keys."""

from throttle.bucket import TokenBucket
from throttle.clock import Clock, ManualClock
from throttle.compound import AllOf
from throttle.decision import Decision
from throttle.keyed import KeyedLimiter
from throttle.limiter import Limiter
from throttle.quota import Quota
from throttle.rates import Rate, parse_rate
from throttle.window import SlidingWindow

__all__ = [
    "AllOf",
    "Clock",
    "Decision",
    "KeyedLimiter",
    "Limiter",
    "ManualClock",
    "Quota",
    "Rate",
    "SlidingWindow",
    "TokenBucket",
    "parse_rate",
]
