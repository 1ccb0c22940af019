"""Merge: the union of two or three earlier single edits that did not win alone, chosen by draws of what each seemed to do. Pure.

An edit that moves one gate only cannot be promoted alone; together several may move all three.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

from harness.edits import edited_skill, out_of_bounds

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from harness.ports import Growth
    from harness.skill import Skill, SkillEdit

SIZES = (2, 3)
MOST_CANDIDATES = 12  # the newest: 286 unions at most
_SHRINK = 20.0  # trials' worth of "no effect" added to each measured one
_SD = 0.5  # of one trial's verdict, at most


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """An earlier edit of the current baseline: its generation, and per gate (passes above expectation, dev trials)."""

    generation: int
    edit: SkillEdit
    effects: tuple[tuple[float, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """The union of some candidates' edits."""

    skill: Skill
    parts: tuple[int, ...]


def merged(
    skill: Skill, found: Sequence[Candidate], used: Collection[tuple[int, ...]], growth: Growth, label: str
) -> Merged | None:
    """The best union by one draw of every candidate's shrunken effects, or None where none can be made.

    The union with the largest least gate wins: an edit is worth what it adds where the others fall short.

    Args:
        skill: the current baseline, of which all candidates are edits.
        found: candidates, oldest first.
        used: parts of unions made before.
        growth: bounds of one edit; a union may grow by as much as its parts may together.
        label: campaign and generation; draws depend on it alone.
    """
    newest = found[-MOST_CANDIDATES:]
    drawn = {one.generation: _drawn(one, label) for one in newest}
    ranked = sorted(_unions(newest, used), key=lambda union: (-_worth(union, drawn), _parts(union)))
    for union in ranked:
        together = _applied(skill, union, growth)
        if together is not None:
            return Merged(skill=together, parts=_parts(union))
    return None


def _unions(found: Sequence[Candidate], used: Collection[tuple[int, ...]]) -> Iterator[tuple[Candidate, ...]]:
    for size in SIZES:
        yield from (union for union in combinations(found, size) if _parts(union) not in used)


def _parts(union: Sequence[Candidate]) -> tuple[int, ...]:
    return tuple(one.generation for one in union)


def _drawn(one: Candidate, label: str) -> tuple[float, ...]:
    """One draw per gate from what is known of an edit: its mean shrunken towards nothing, with the spread that is left."""
    source = random.Random(f"{label}/{one.generation}")  # noqa: S311  (no secret)
    return tuple(source.gauss(excess / (trials + _SHRINK), _SD / (trials + _SHRINK) ** 0.5) for excess, trials in one.effects)


def _worth(union: Sequence[Candidate], drawn: dict[int, tuple[float, ...]]) -> float:
    gates: Iterator[tuple[float, ...]] = zip(*(drawn[one.generation] for one in union), strict=True)
    return min(map(sum, gates))


def _applied(skill: Skill, union: Sequence[Candidate], growth: Growth) -> Skill | None:
    """All edits made one after the other; None where they get into each other's way or grow too much together."""
    wide = replace(growth, generation=growth.generation * len(union))
    made = skill
    for one in union:
        step = edited_skill(made, one.edit, "merge", growth, ())
        if isinstance(step, str):
            return None
        made = step
    return None if out_of_bounds(skill, made, "merge", wide) else made
