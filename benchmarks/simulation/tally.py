"""What one night came to by one rule, and what many came to together."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from harness.decision.proportion import wilson

if TYPE_CHECKING:
    from collections.abc import Iterable

    from harness.decision.result import DecisionKind
    from simulation.worlds import Proposed, Truth


@dataclass(slots=True, kw_only=True)
class Tally:
    """One night. `confirmations` are tests that could have promoted; `kinds` are our rule's decisions by variant.

    `confirmed` and `won` are our rule's confirmations and promotions by what is true of the variant.
    """

    promoted: int = 0
    false: int = 0
    harmful: int = 0
    confirmations: int = 0
    rollouts: int = 0
    quality: tuple[float, ...] = ()
    kinds: dict[int, DecisionKind] = field(default_factory=dict)
    confirmed: Counter[Truth] = field(default_factory=Counter)
    won: Counter[Truth] = field(default_factory=Counter)

    def promote(self, proposed: Proposed) -> None:
        """Book a promotion by what is true of it."""
        self.promoted += 1
        self.false += proposed.is_false
        self.harmful += proposed.is_harmful
        self.won[proposed.truth] += 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """Many nights of one rule in one world."""

    world: str
    rule: str
    nights: int
    promoted: int
    false: int
    harmful: int
    confirmations: int
    rollouts: int
    quality: tuple[float, ...]
    confirmed: Counter[Truth] = field(default_factory=Counter)
    won: Counter[Truth] = field(default_factory=Counter)

    @classmethod
    def of(cls, world: str, rule: str, tallies: Iterable[Tally]) -> Summary:
        """Add nights up."""
        nights = list(tallies)
        return cls(
            world=world,
            rule=rule,
            nights=len(nights),
            promoted=sum(night.promoted for night in nights),
            false=sum(night.false for night in nights),
            harmful=sum(night.harmful for night in nights),
            confirmations=sum(night.confirmations for night in nights),
            rollouts=sum(night.rollouts for night in nights),
            quality=tuple(sum(rates) / len(nights) for rates in zip(*(night.quality for night in nights), strict=True)),
            confirmed=sum((night.confirmed for night in nights), Counter()),
            won=sum((night.won for night in nights), Counter()),
        )

    @property
    def false_share(self) -> float:
        """Of the promotions."""
        return self.false / self.promoted if self.promoted else 0.0

    @property
    def harmful_share(self) -> float:
        """Of the promotions."""
        return self.harmful / self.promoted if self.promoted else 0.0

    @property
    def error(self) -> float:
        """False promotions per confirmation."""
        return self.false / self.confirmations if self.confirmations else 0.0

    @property
    def error_bound(self) -> float:
        """Its 95 % upper bound (one-sided Wilson)."""
        return wilson(self.false, self.confirmations, 0.90)[1]

    @property
    def per_true_promotion(self) -> float:
        """Rollouts for each promotion that is one."""
        true = self.promoted - self.false
        return self.rollouts / true if true else float("inf")
