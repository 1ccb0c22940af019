"""What is true of a skill in the rehearsal: pass rates per gate, from the directives that its text holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.models.rehearsal.deck import standing
from harness.models.rehearsal.settings import BaseRates

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.task import Task

# Tasks differ, so that pairing by task has something to win; points of the pass rate on every gate.
SHIFT = {"easy": 0.08, "medium": 0.0, "hard": -0.08}
LOWEST, HIGHEST = 0.02, 0.98
_DEFAULT = BaseRates()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """Pass rates of the three gates."""

    tests: float
    style: float
    review: float

    @property
    def review_given_tests(self) -> float:
        """P(review | tests): an errorless reviewer never approves a change that fails tests."""
        return _kept(self.review / self.tests)


def rates(skill_text: str, difficulty: str, base: BaseRates = _DEFAULT) -> Rates:
    """The rates on a task of one difficulty; `review` is what can be reached, at most the tests' rate times `HIGHEST`."""
    found = standing(skill_text)
    shift = SHIFT.get(difficulty, 0.0)
    tests = _kept(base.tests + shift + sum(directive.tests for directive in found) / 100)
    style = _kept(base.style + shift + sum(directive.style for directive in found) / 100)
    review = _kept(base.review + shift + sum(directive.review for directive in found) / 100)
    return Rates(tests=tests, style=style, review=tests * _kept(review / tests))


def truth(skill_text: str, tasks: Sequence[Task], base: BaseRates = _DEFAULT) -> Rates:
    """The mean rates of a skill over tasks: what an endless evaluation would measure."""
    each = [rates(skill_text, task.difficulty, base) for task in tasks]
    return Rates(
        tests=sum(rate.tests for rate in each) / len(each),
        style=sum(rate.style for rate in each) / len(each),
        review=sum(rate.review for rate in each) / len(each),
    )


def _kept(rate: float) -> float:
    return min(HIGHEST, max(LOWEST, rate))
