"""Decisions in plain sentences, made from their numbers alone.

Luck is told out of one denominator, 100,000; "points" are percentage points; no rounding hides which side of a limit a
number is on.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from harness.decision.missing import LEAST_FISHER_P, MOST_MISSING, fisher_p
from harness.decision.result import Decision, DecisionKind, GateResult, Status, WorstCase

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from fractions import Fraction

    from harness.decision.missing import GateMissing
    from harness.decision.rules import Rules

LUCK_OF = 100_000
MINUS = "\N{MINUS SIGN}"
_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def reason(decision: Decision, rules: Rules) -> str:
    """Why the comparison ended so, or where it stands."""
    match decision.kind:
        case DecisionKind.PROMOTE:
            return _promoted(decision, rules)
        case DecisionKind.INVALID:
            return _invalid(decision)
        case DecisionKind.BLOCKED_SATURATED:
            return blocked([(gate.gate, gate.room, gate.last.n_tasks) for gate in _having(decision, Status.SATURATED)], rules)
        case DecisionKind.REJECT:
            return _futile(decision, rules) if _having(decision, Status.FUTILE) else _behind(decision)
        case DecisionKind.INCONCLUSIVE:
            return _inconclusive(decision)
        case _:
            return _open(decision, rules)


def blocked(gates: Sequence[tuple[str, int, int]], rules: Rules) -> str:
    """Why nothing can be judged: (gate, tasks the baseline failed at least once, tasks) of each saturated gate."""
    least = min(room for _, room, _ in gates)
    fails = listed(f"{gate} on {_few(room, tasks)}" for gate, room, tasks in gates)
    wanted = rules.room_needed - least
    best, allowed = luck(1 / (1 << least), rules.last_level)
    return (
        f"Not judged: the baseline fails {fails} {_tasks(rules)}, so even a perfect variant could reach no better than "
        f"{best:,} in {LUCK_OF:,}, and at most {allowed:,} are allowed. "
        f"Add {_word(wanted)} harder {'task' if wanted == 1 else 'tasks'}."
    )


def luck(p: Fraction | float, level: float) -> tuple[int, int]:
    """(how often in 100,000 luck alone does as well, how often it may), rounded, but never onto the other's side."""
    shown, allowed = round(p * LUCK_OF), round(level * LUCK_OF)
    return (min(shown, allowed) if p <= level else max(shown, allowed + 1)), allowed


def often(times: int) -> str:
    """How often in 100,000 luck alone does as well. No p is 0, so neither is this: "83", "fewer than 1"."""
    return f"{times:,}" if times else "fewer than 1"


def points(share: Fraction | float, *, signed: bool = False) -> str:
    """A difference of shares in points: "9 points", or "+9 points" when signed."""
    value = float(share) * 100
    size = abs(value)
    number = f"{size:.0f}" if size >= 1 or size == 0 else f"{size:.1g}"
    sign = "" if not signed or size == 0 else "+" if value > 0 else MINUS
    return f"{sign}{number} {'point' if number == '1' else 'points'}"


def listed(names: Iterable[str]) -> str:
    """Names in a sentence: a; a and b; a, b and c. There must be one."""
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def _promoted(decision: Decision, rules: Rules) -> str:
    beaten = [gate.gate for gate in _having(decision, Status.BEATS)]
    tasks = max(gate.last.n_tasks for gate in decision.gates)
    relaxed = ""
    if decision.relaxed:
        relaxed = f"; by a relaxed rule: {listed(decision.relaxed)} may be up to {points(rules.margin)} worse"
    how = f"the coding agent passed {listed(beaten)} more often than with the old ones" if beaten else "nothing was beaten"
    return (
        f"With these instructions {how}, on {tasks} {_tasks(rules)}, "
        f"{'each ' if len(beaten) > 1 else ''}by more than luck explains{relaxed}."
    )


def _invalid(decision: Decision) -> str:
    advice = "Fix the cause and run again; its \N{GREEK SMALL LETTER ALPHA} is spent."
    faults = [_fault(missing) for missing in decision.missing if missing.too_many or missing.unequal]
    if faults:
        return f"No answer: {'; '.join(dict.fromkeys(faults))}. {advice}"
    against = {
        WorstCase.FALLS_ON_MISSING: "not all of them do once the missing trials are counted against the variant",
        WorstCase.FALLS_ON_FLAGGED: "not all of them do once the variant's flagged trials are counted as fails",
    }[decision.worst_case]
    return f"No answer: all three gates beat, but {against}. {advice}"


def _fault(missing: GateMissing) -> str:
    if missing.too_many:
        share = math.ceil(missing.share * 100)
        most = f"{float(MOST_MISSING):.0%}".replace("%", " %")
        return (
            f"{share} % of the {missing.gate} pairs are missing ({missing.missing_pairs} of {missing.pairs}), "
            f"at most {most} may be"
        )
    return (
        f"{missing.variant} of the variant's and {missing.baseline} of the baseline's {missing.pairs} {missing.gate} "
        f"verdicts are missing, which is too unequal to be luck (p = {float(missing.fisher_p):.2g})"
    )


def retries(baseline: int, variant: int, of: int) -> str:
    """How many of each arm's `of` trials were tried again, with a warning where that is no chance; empty where none was.

    A second try is a second draw: the arm that has more of them is another experiment.
    """
    if not baseline + variant:
        return ""
    told = f"tried again after faults of ours: {baseline} of the baseline's and {variant} of the variant's {of} trials"
    p = fisher_p(baseline, variant, of)
    return told + (f", too unequal to be luck (p = {float(p):.2g}); find the cause" if p < LEAST_FISHER_P else "")


def _futile(decision: Decision, rules: Rules) -> str:
    moves = listed(_move(gate) for gate in _having(decision, Status.FUTILE))
    text = f"Stopped at look {decision.look}: {moves}, and a win had become too unlikely to pay for more looks."
    for gate in decision.gates:
        if gate.status is not Status.BEATS and rules.is_saturated(gate.room):
            text += f" So far the baseline failed {gate.gate} on {_few(gate.room, gate.last.n_tasks)} {_tasks(rules)}."
    return text


def _behind(decision: Decision) -> str:
    losers = [gate for gate in decision.gates if gate.delta is not None and gate.delta <= 0]
    return f"{_all_used(decision)}: {listed(_move(gate) for gate in losers)}, which is no gain.{_also_beat(decision, losers)}"


def _inconclusive(decision: Decision) -> str:
    parts = []
    for gate in _having(decision, Status.OPEN):
        shown, allowed = luck(gate.last.p, gate.last.level)
        parts.append(
            f"{gate.gate} rose {points(gate.delta or 0)}, but luck alone does as well {shown:,} times in {LUCK_OF:,}, "
            f"and at most {allowed:,} were allowed"
        )
    return f"{_all_used(decision)}: {'; '.join(parts)}.{_also_beat(decision, [])}"


def _open(decision: Decision, rules: Rules) -> str:
    moves = listed(f"{gate.gate} {points(gate.delta or 0, signed=True)}" for gate in decision.gates)
    beaten = [gate.gate for gate in _having(decision, Status.BEATS)]
    already = f"; {listed(beaten)} already {'beat' if len(beaten) > 1 else 'beats'}" if beaten else ""
    return f"Not decided after look {decision.look} of {rules.looks}: {moves}{already}."


def _having(decision: Decision, status: Status) -> list[GateResult]:
    return [gate for gate in decision.gates if gate.status is status]


def _move(gate: GateResult) -> str:
    before, after = float(gate.baseline_rate or 0) * 100, float(gate.variant_rate or 0) * 100
    digits = 0 if before == after or round(before) != round(after) else 1
    if before == after:
        return f"{gate.gate} stayed at {before:.0f} %"
    return f"{gate.gate} went from {before:.{digits}f} % to {after:.{digits}f} %"


def _also_beat(decision: Decision, except_for: Sequence[GateResult]) -> str:
    beaten = [gate.gate for gate in _having(decision, Status.BEATS) if gate not in except_for]
    return f" {listed(beaten).capitalize()} did beat." if beaten else ""


def _all_used(decision: Decision) -> str:
    return "The one look is used" if decision.look == 1 else f"All {_word(decision.look)} looks used"


def _tasks(rules: Rules) -> str:
    return f"{rules.split} tasks".strip()


def _few(room: int, tasks: int) -> str:
    return f"only {room} of {tasks}" if room else f"none of {tasks}"


def _word(number: int) -> str:
    return _WORDS[number] if number < len(_WORDS) else str(number)
