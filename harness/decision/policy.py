"""The promotion rule: a table of outcomes and the rules in, one decision out, evaluated look by look.

A variant is promoted only if it beats the baseline on all three gates. Owns the order of the checks; the numbers come
from signflip, looks, effect and missing, the sentences from wording.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from harness.decision import effect, noninferior, signflip, wording
from harness.decision.missing import count_missing
from harness.decision.result import Decision, DecisionKind, GateResult, LookResult, Status, WorstCase
from harness.decision.rules import Rules, Saturated, best_p
from harness.decision.scorecard import Reading, Scorecard, Table
from harness.errors import InputError
from harness.gates import Gate

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from harness.decision.scorecard import Outcome


def decide(outcomes: Iterable[Outcome], rules: Rules, look: int | None = None) -> Decision:
    """The decision that the outcomes' first `look` sweeps give (all of them, at most `rules.looks`, unless told).

    Sweeps are evaluated in order and the first look that decides ends the comparison: later sweeps are not read. While
    none decides, and more looks are to come, the decision is `open`.

    Raises:
        InputError: an empty table, a trial given twice, or a look beyond the table or the rules.
    """
    table = Table.of(outcomes)
    last = min(table.sweeps, rules.looks) if look is None else look
    if not 1 <= last <= min(table.sweeps, rules.looks):
        raise InputError(f"look {last} of {rules.looks} was asked for, and the table holds {table.sweeps} sweeps")
    course, worst_case = conclude(table, rules, last)
    decision = Decision(
        kind=course.kind,
        reason="",
        look=course.look,
        gates=tuple(_gate_result(course, card) for card in course.cards),
        missing=tuple(count_missing(card) for card in course.cards),
        worst_case=worst_case,
        relaxed=course.relaxed,
        notes=table.notes(rules.looks),
    )
    return replace(decision, reason=wording.reason(decision, rules))


class Sweeps(Protocol):
    """What is followed: paired counts by look and reading. A `Table`, or the simulator's arrays."""

    def scorecards(self, last: int, reading: Reading = Reading.AS_IS) -> Iterator[tuple[Scorecard, ...]]:
        """The scorecards of the three gates, look by look up to look `last`."""
        ...


def conclude(sweeps: Sweeps, rules: Rules, last: int) -> tuple[Course, WorstCase]:
    """The course up to look `last`; a promotion that does not stand against the worst case is invalid."""
    course = follow(sweeps.scorecards(last), rules)
    if course.kind is not DecisionKind.PROMOTE:
        return course, WorstCase.NOT_NEEDED
    worst_case = _worst_case(sweeps, rules, course.look)
    if worst_case is not WorstCase.STANDS:
        course = replace(course, kind=DecisionKind.INVALID, relaxed=())
    return course, worst_case


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """A comparison followed to its deciding look, or to the last look there is: cards and statuses are of that look."""

    kind: DecisionKind
    look: int
    cards: tuple[Scorecard, ...]
    looks: tuple[tuple[LookResult, ...], ...]  # by gate, in gate order
    beaten: tuple[tuple[Gate, int], ...]
    statuses: tuple[tuple[Gate, Status], ...]
    relaxed: tuple[Gate, ...]


def follow(scorecards: Iterable[tuple[Scorecard, ...]], rules: Rules) -> Course:
    """Evaluate look by look, from the scorecards of each look in gate order; a gate once beaten stays beaten.

    Reads no further than the first look that decides; there must be at least one.
    """
    looks: dict[Gate, list[LookResult]] = {gate: [] for gate in Gate}
    beaten: dict[Gate, int] = {}
    for look, cards in enumerate(scorecards, start=1):
        for card in cards:
            result = examine(card, look, rules)
            looks[card.gate].append(result)
            if result.beats:
                beaten.setdefault(card.gate, look)
        statuses = {
            card.gate: Status.BEATS if card.gate in beaten else _status(card, looks[card.gate][-1], rules) for card in cards
        }
        kind, relaxed = _conclude(cards, statuses, rules, look)
        if kind is not DecisionKind.OPEN:
            break
    return Course(
        kind=kind,
        look=look,
        cards=cards,
        looks=tuple(tuple(looks[gate]) for gate in Gate),
        beaten=tuple(beaten.items()),
        statuses=tuple(statuses.items()),
        relaxed=relaxed,
    )


def examine(card: Scorecard, look: int, rules: Rules) -> LookResult:
    """One gate's test at one look."""
    differences = card.differences
    scores = signflip.scaled(differences)
    return LookResult(
        look=look,
        n_tasks=len(scores),
        informative=sum(score != 0 for score in scores),
        p=signflip.p_value(scores),
        level=rules.level(look),
        t=effect.t_of(differences),
    )


def _status(card: Scorecard, result: LookResult, rules: Rules) -> Status:
    """Where a gate stands that is not beaten."""
    line = rules.futility_line(result.look)
    if line is None:
        if rules.is_saturated(card.room):
            return Status.SATURATED
        return Status.OPEN if result.t > 0 else Status.BEHIND  # t has the sign of the effect
    if rules.saturated is Saturated.NON_INFERIOR and rules.is_saturated(card.room):
        lost = noninferior.p_value(card, rules.margin) >= 1  # it cannot get ahead, so only a loss is a reason to stop
        return Status.FUTILE if lost else Status.OPEN
    return Status.FUTILE if result.t < line else Status.OPEN


def _conclude(
    cards: tuple[Scorecard, ...], statuses: dict[Gate, Status], rules: Rules, look: int
) -> tuple[DecisionKind, tuple[Gate, ...]]:
    """The checks of one look in their order, and the gates let through as non-inferior."""
    reached = set(statuses.values())
    if any(missing.too_many or missing.unequal for missing in map(count_missing, cards)):
        return DecisionKind.INVALID, ()
    if reached == {Status.BEATS}:
        return DecisionKind.PROMOTE, ()
    if Status.FUTILE in reached:
        return DecisionKind.REJECT, ()
    if look < rules.looks:
        return DecisionKind.OPEN, ()
    return _conclude_last(cards, statuses, rules)


def _conclude_last(
    cards: tuple[Scorecard, ...], statuses: dict[Gate, Status], rules: Rules
) -> tuple[DecisionKind, tuple[Gate, ...]]:
    """No look is left and a gate is unbeaten."""
    saturated = [card for card in cards if statuses[card.gate] is Status.SATURATED]
    if not all(_let_through(card, rules) for card in saturated):
        return DecisionKind.BLOCKED_SATURATED, ()
    if set(statuses.values()) <= {Status.BEATS, Status.SATURATED}:
        return DecisionKind.PROMOTE, tuple(card.gate for card in saturated)
    if any(effect.t_of(card.differences) <= 0 for card in cards if card not in saturated):
        return DecisionKind.REJECT, ()
    return DecisionKind.INCONCLUSIVE, ()


def _let_through(card: Scorecard, rules: Rules) -> bool:
    if rules.saturated is Saturated.BLOCK:
        return False
    return noninferior.p_value(card, rules.margin) <= rules.last_level


def _worst_case(sweeps: Sweeps, rules: Rules, look: int) -> WorstCase:
    """Follow the whole sequence of looks again, with the table read against the variant."""
    if follow(sweeps.scorecards(look, Reading.MISSING_AGAINST_VARIANT), rules).kind is not DecisionKind.PROMOTE:
        return WorstCase.FALLS_ON_MISSING
    if follow(sweeps.scorecards(look, Reading.FLAGGED_FAIL), rules).kind is not DecisionKind.PROMOTE:
        return WorstCase.FALLS_ON_FLAGGED
    return WorstCase.STANDS


def _gate_result(course: Course, card: Scorecard) -> GateResult:
    measured = effect.measure(card.differences)
    totals = [task.variant - task.baseline for task in card.tasks]
    return GateResult(
        gate=card.gate,
        status=dict(course.statuses)[card.gate],
        looks=course.looks[tuple(Gate).index(card.gate)],
        beaten_at=dict(course.beaten).get(card.gate),
        baseline_rate=card.baseline_rate,
        variant_rate=card.variant_rate,
        delta=measured.delta,
        interval=measured.interval,
        better=sum(total > 0 for total in totals),
        worse=sum(total < 0 for total in totals),
        same=totals.count(0),
        room=card.room,
        best_p=best_p(card.room),
    )
