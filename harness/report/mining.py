"""The page of a mined suite: what was kept, by difficulty, and every rejected candidate with its reason."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from harness.counted import counted
from harness.report.page import asset, csp_hash, environment
from harness.task import Split

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.suites.candidates import Outcome
    from harness.suites.splitting import Placed

ORDER = ("easy", "medium", "hard")


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """One kept task as the page shows it."""

    outcome: Outcome
    split: str
    cluster: str

    @property
    def mended(self) -> str:
        """What was done to have its tests run, and how many tests are left out."""
        left = len(self.outcome.left_out)
        return "; ".join([*self.outcome.fixes, *([f"{counted(left, 'test')} left out"] if left else [])])


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """The run in numbers: steps seen, tried and kept, the yield of those tried, and the median of their seconds."""

    steps: int
    tried: int
    kept: int
    seconds: float

    @property
    def share(self) -> str:
        """Kept of tried."""
        return f"{self.kept / self.tried:.0%}" if self.tried else "none"


def figures_of(outcomes: Sequence[Outcome]) -> Figures:
    """Counted over all steps."""
    tried = [outcome.seconds for outcome in outcomes if outcome.tried]
    kept = sum(bool(outcome.task) for outcome in outcomes)
    return Figures(steps=len(outcomes), tried=len(tried), kept=kept, seconds=median(tried) if tried else 0.0)


def mining_page(
    project: str, outcomes: Sequence[Outcome], places: Sequence[Placed], told: Sequence[str], *, private: bool
) -> str:
    """The page as HTML. `private` leaves out titles, logs and whatever quotes the repository."""
    by_task = {place.task: place for place in places}
    kept = [
        Kept(outcome=outcome, split=str(by_task[outcome.task].split), cluster=by_task[outcome.task].cluster)
        for outcome in outcomes
        if outcome.task in by_task
    ]
    rejected = [outcome for outcome in outcomes if outcome.reason]
    style = asset("page.css")
    return (
        environment()
        .get_template("mining.html")
        .render(
            style=style,
            style_hash=csp_hash(style),
            project=project,
            private=private,
            figures=figures_of(outcomes),
            groups=[(name, [one for one in kept if one.outcome.difficulty == name]) for name in ORDER],
            splits=[(str(split), sum(one.split == split for one in kept)) for split in (Split.DEV, Split.HOLDOUT, Split.VAULT)],
            reasons=Counter(outcome.reason for outcome in rejected if outcome.tried).most_common(),
            passed_by=Counter(outcome.reason for outcome in rejected if not outcome.tried).most_common(),
            rejected=[outcome for outcome in rejected if outcome.tried],
            seen=[outcome for outcome in rejected if not outcome.tried],
            told=told,
        )
    )
