"""What a comparison is decided by: alpha, the number of looks, and what a saturated gate means."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from harness.decision.looks import futility_lines, levels
from harness.errors import ConfigError


class Saturated(StrEnum):
    """What to do about a gate on which the baseline leaves too little room to be beaten."""

    BLOCK = "block"
    NON_INFERIOR = "non_inferior"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """One comparison's rules; `margin`, a share, is used by and needed for `non_inferior` alone.

    `split` names the tasks in sentences ("holdout"), empty for outcomes made elsewhere.

    Raises:
        ConfigError: alpha, looks or margin out of range.
    """

    alpha: float = 0.05
    looks: int = 8
    saturated: Saturated = Saturated.BLOCK
    margin: float = 0.0
    split: str = "holdout"

    def __post_init__(self) -> None:
        levels(self.alpha, self.looks)  # raises for values out of range
        if self.saturated is Saturated.NON_INFERIOR and not 0 < self.margin < 1:
            raise ConfigError(f'saturated = "non_inferior" needs a margin between 0 and 1 (0.05 is 5 points), not {self.margin}')
        if self.saturated is Saturated.BLOCK and self.margin:
            raise ConfigError('a margin is only used with saturated = "non_inferior"; leave it out or say so')

    @property
    def last_level(self) -> float:
        """The level of the last look: the most luck that any look allows."""
        return levels(self.alpha, self.looks)[-1]

    @property
    def room_needed(self) -> int:
        """The fewest tasks failed by the baseline with which a perfect variant could still beat: 5 at alpha = .05."""
        room = 0
        while best_p(room) > self.last_level:
            room += 1
        return room

    def level(self, look: int) -> float:
        """The level of one look, counted from 1."""
        return levels(self.alpha, self.looks)[look - 1]

    def futility_line(self, look: int) -> float | None:
        """The t under which an unbeaten gate ends the comparison; None at the last look."""
        return None if look == self.looks else futility_lines(self.looks)[look - 1]

    def is_saturated(self, room: int) -> bool:
        """Whether not even a variant that passes everything could beat at the last look.

        At alpha = .05 that is a room of four tasks or fewer, for any number of looks.
        """
        return best_p(room) > self.last_level


def best_p(room: int) -> Fraction:
    """The p of a variant that passes every trial, when the baseline failed `room` tasks at least once."""
    return Fraction(1, 1 << room)
