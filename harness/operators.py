"""Operators, the kinds of edit, and the bandit that chooses among them: discounted Thompson sampling. Pure.

Every number that a choice rests on comes from the ledger's rows and from the campaign's identity, so that anybody can make the
same choice again from the record.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from enum import StrEnum
from math import sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping


class Operator(StrEnum):
    """The kinds of edit. All but MERGE are written by a model; MERGE unites earlier edits."""

    REFLECT = "reflect"
    EXAMPLES = "examples"
    CHECKLIST = "checklist"
    RESTRUCTURE = "restructure"
    SIMPLIFY = "simplify"
    RESTART = "restart"
    MERGE = "merge"


# The measured rule (the search notes): points of a generation by how far it came, the prior, and the discount of older ones.
PROMOTED, SURVIVED_SCREEN, SURVIVED_BLOCK, NOTHING = 1.0, 0.15, 0.03, 0.0
PRIOR = (1.0, 6.0)
DISCOUNT = 0.97
RESTARTS = 0.1  # share of generations that drop a part and write it anew, whatever the bandit holds of it
WIDE_RESTARTS = 0.3  # the same on a plateau: our own choice, not measured
_DIGITS = 9  # of what is recorded and compared: more than any platform's floating point differs by

State = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """An operator with all that it was chosen by: the state (a, b) and the draw of each operator that was allowed.

    `wide` says that nothing earned was held for or against any of them.
    """

    operator: Operator
    states: Mapping[str, State]
    draws: Mapping[str, float]
    wide: bool = False


def states(history: Iterable[tuple[str, float]]) -> dict[Operator, State]:
    """The state of every operator after (operator, points) of earlier generations, in the order of generations.

    r = sqrt(points); a becomes .97 a + r, b becomes .97 b + 1 - r. Generations by no operator of these change nothing.
    """
    found = dict.fromkeys(Operator, PRIOR)
    for name, points in history:
        if name in found:
            a, b = found[Operator(name)]
            r = sqrt(points)
            found[Operator(name)] = (DISCOUNT * a + r, DISCOUNT * b + 1 - r)
    return {name: (round(a, _DIGITS), round(b, _DIGITS)) for name, (a, b) in found.items()}


def choose(known: Mapping[Operator, State], allowed: Collection[Operator], label: str, *, wide: bool = False) -> Choice:
    """One operator: a restart once in ten, else the largest draw from Beta(a, b) among those allowed.

    On a plateau the mix is `wide`: all draw from the prior, so that each has the same chance, and three in ten are restarts.

    Args:
        known: what `states` gave.
        allowed: operators that can be used now.
        label: campaign and generation; draws depend on it and on the states alone.
        wide: whether what was earned is set aside.
    """
    held = dict.fromkeys(Operator, PRIOR) if wide else known
    draws = {
        str(name): round(random.Random(f"{label}/{name}").betavariate(*held[name]), _DIGITS)  # noqa: S311  (no secret)
        for name in Operator
        if name in allowed
    }
    restarting = random.Random(f"{label}/restarting").random()  # noqa: S311  (the same)
    rivals = {name: draw for name, draw in draws.items() if name != Operator.RESTART}
    restart = Operator.RESTART in allowed and (restarting < (WIDE_RESTARTS if wide else RESTARTS) or not rivals)
    operator = Operator.RESTART if restart else Operator(max(rivals, key=lambda name: rivals[name]))
    return Choice(operator=operator, states={str(name): held[name] for name in map(Operator, draws)}, draws=draws, wide=wide)
