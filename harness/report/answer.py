"""The first screen: decision word, headline, one-sentence reason, five facts. What stands here must be true for all readers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.approval import REFUSED, answers
from harness.counted import counted
from harness.decision.result import Status
from harness.ledger.schema import EventRow, TrialRow
from harness.report.figures import duration, money, signed, word
from harness.report.money import per_task
from harness.report.prose import Prose, code, link, term, text
from harness.rollback import ROLLBACK

if TYPE_CHECKING:
    from harness.ledger.history import Generation
    from harness.report.view import Scene

# machine word: (words on the page, style of the pill, mark)
PILLS = {
    "promote": ("Promoted", "promote", "tick"),
    "reject": ("Rejected", "reject", "cross"),
    "inconclusive": ("Inconclusive", "inconclusive", "bar"),
    "blocked_saturated": ("Blocked", "blocked", "blocked"),
    "invalid": ("No answer", "blocked", "blocked"),
    "not_confirmed": ("Not confirmed", "reject", "bar"),
}
_NOTHING = ("Not promoted", "reject", "bar")
_UNDECIDED = ("Undecided", "reject", "bar")
_WAITS = ("Waits for a person", "inconclusive", "bar")
_REFUSED = ("Refused", "reject", "bar")
_TAKEN_BACK = ("Taken back", "reject", "bar")
_BEATS = ("Beats the baseline", "promote", "tick")
_COUNTED = {
    "promote": "promoted",
    "reject": "rejected",
    "inconclusive": "inconclusive",
    "blocked_saturated": "blocked",
    "invalid": "without an answer",
    "not_confirmed": "not confirmed",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One cell of the strip: what it is, its figure, a line of support. `tone` is warn or empty."""

    name: str
    value: Prose
    small: Prose = ()
    tone: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The first screen's words. `truth` is the rehearsal's, empty otherwise."""

    pill: tuple[str, str, str]
    relaxed: str
    title: str
    lead: Prose
    truth: str
    facts: tuple[Fact, ...]


def answer_of(scene: Scene, estimate: str = "") -> Answer:
    """The first screen of a campaign. `estimate` says what a rehearsal would have cost, with which model."""
    shown = scene.shown
    won = bool(shown and shown.won)
    pill, title, since = _standing(scene)
    return Answer(
        pill=pill,
        relaxed=_relaxed(scene) if won else "",
        title=title,
        lead=(*_lead(scene), *((text(since),) if since else ())),
        truth=truth_of(scene, shown) if shown else "",
        facts=(_tried(scene), _cost(scene, estimate), _task_cost(scene), _undo(scene), _needs(scene)),
    )


def _standing(scene: Scene) -> tuple[tuple[str, str, str], str, str]:
    """(pill, headline, what came since)."""
    shown = scene.shown
    if shown is None:
        return _UNDECIDED, "Nothing is decided yet", ""
    return _won(scene, shown) if shown.won else (_NOTHING, "Nothing was promoted; the baseline stays", "")


def _won(scene: Scene, shown: Generation) -> tuple[tuple[str, str, str], str, str]:
    """The same of a decision to promote: by itself it moves no baseline, and what it moved may have been moved again."""
    history, row, name = scene.history, shown.decision.row, f"Generation {shown.number}"
    if row.id in scene.waiting:
        return _WAITS, f"{name} beats the baseline and waits for a person", ""
    if row.variant == history.baseline:
        return PILLS["promote"], f"{name} is the new baseline", ""
    if said := list(answers((it.row for it in history.events(REFUSED)), row.id)):
        return _REFUSED, f"{name} beats the baseline, and a person said no", f" No said {said[-1]}"
    back = [move.row for move in history.promotions if move.row.old == row.variant and move.row.key.startswith(ROLLBACK)]
    if back:
        return _TAKEN_BACK, f"{name} was promoted, and taken back since", f" Taken back since: {back[-1].reason}"
    return _BEATS, "The variant beats the baseline", ""


def _lead(scene: Scene) -> Prose:
    shown = scene.shown
    if shown is None:
        return (text("The campaign has begun, and no variant has come to its decision."),)
    reason = text(scene.reason(shown))
    if shown.won:
        earlier = [str(other.number) for other in scene.history.generations if other.won and other is not shown]
        if not earlier:
            return (reason,)
        noun = "generation" if len(earlier) == 1 else "generations"
        return (reason, text(f" It is promotion {len(earlier) + 1} of this campaign, after {noun} {', '.join(earlier)}."))
    if scene.decision:
        return (text(f"The closest was generation {shown.number}. "), reason)
    return text("No variant reached the "), term("holdout", "holdout"), text(" tasks, so there is nothing to compare yet.")


def _relaxed(scene: Scene) -> str:
    decision = scene.decision
    if not decision or not decision.relaxed:
        return ""
    margin = f"{scene.rules.margin * 100:g}"
    return f"by a relaxed rule: {' and '.join(decision.relaxed)} may be up to {margin} points worse"


def truth_of(scene: Scene, generation: Generation) -> str:
    """What the rehearsal had set the effects to, and whether the decision agrees; empty where nothing was set."""
    variant, right = generation.variant, generation.decision.row.right
    if right is None or variant is None:
        return ""
    parent = scene.history.variant(variant.row.parent)
    if not variant.row.truth or parent is None or not parent.truth:
        return ""
    pairs = zip(variant.row.truth.split(), parent.truth.split(), strict=True)
    tests, style, review = (signed((float(new) - float(old)) * 100) for new, old in pairs)
    return f"True effects were set to {tests}, {style} and {review} points, so this decision was {'right' if right else 'wrong'}."


def _tried(scene: Scene) -> Fact:
    generations = scene.history.generations
    counts = Counter(generation.decision.row.decision for generation in generations)
    told = ", ".join(f"{counts[kind]} {name}" for kind, name in _COUNTED.items() if counts[kind])
    small = (text(f"{told}: "), link("generations", "see all")) if told else ()
    return Fact(name="Variants tried", value=(text(f"{len(generations)}"),), small=small)


def _cost(scene: Scene, estimate: str) -> Fact:
    costs = scene.costs
    took = f"{counted(costs.trials, 'trial')}; {duration(*scene.history.times)}"
    small = text(f"{estimate}; {took}" if estimate else took)
    return Fact(name="Cost of the campaign", value=(text(costs.total),), small=(small,))


def _task_cost(scene: Scene) -> Fact:
    found = per_task(scene)
    if scene.history.settings.rehearsal:
        return Fact(name="Cost of a task from now on", value=(text("$0"),), small=(text("no model was called"),))
    if found is None:
        return Fact(name="Cost of a task from now on", value=(text("Not measured"),))
    before, after = found
    shown = scene.shown
    if not (shown and shown.won and shown.decision.row.variant == scene.history.baseline):
        small = f"{money(after, 3)} with the variant" if shown and shown.won else "as before"
        return Fact(name="Cost of a task from now on", value=(text(money(before, 3)),), small=(text(small),))
    small = f"was {money(before, 3)}: {_change(before, after)}"
    return Fact(name="Cost of a task from now on", value=(text(money(after, 3)),), small=(text(small),))


def _change(before: float, after: float) -> str:
    share = round(abs(after / before - 1) * 100) if before else 0
    return f"{share} % {'more' if after > before else 'less'}" if share else "about the same"


def _undo(scene: Scene) -> Fact:
    now = scene.history.baseline
    came = [it.row for it in scene.history.promotions if it.row.new == now and not it.row.key.startswith(ROLLBACK)]
    if not came:
        return Fact(name="Can it be undone?", value=(text("Nothing to undo"),), small=(text("the baseline is "), code(now[:10])))
    small = (code("harness rollback"), text(" restores "), code(came[-1].old[:10]))
    return Fact(name="Can it be undone?", value=(text("Yes"),), small=small)


def _needs(scene: Scene) -> Fact:
    """Trouble first: the last thing that a person has to do something about."""
    found = _waiting(scene) or _blocked(scene) or _unanswered(scene) or _unfinished(scene) or _flagged(scene)
    if not found:
        return Fact(name="Needs you", value=(text("Nothing"),))
    value, small = found
    return Fact(name="Needs you", value=value, small=small, tone="warn")


Need = tuple[Prose, Prose]


def _waiting(scene: Scene) -> Need | None:
    waiting = scene.waiting
    return ((text("A promotion waits"),), (code(f"harness promote {waiting[0]}"),)) if waiting else None


def _blocked(scene: Scene) -> Need | None:
    last = scene.history.generations[-1] if scene.history.generations else None
    if not last or last.decision.row.decision != "blocked_saturated":
        return None
    gates = [gate.gate for gate in last.record.decision.gates if gate.status is Status.SATURATED] if last.record.decision else []
    value = (text(f"{(gates[0] if gates else 'A gate').capitalize()} is "), term("saturated", "saturated"))
    return value, (text("no promotion until "), link(f"g{last.number}", "a harder task is added"))


def _unanswered(scene: Scene) -> Need | None:
    invalid = [generation for generation in scene.history.generations if generation.decision.row.decision == "invalid"]
    if not invalid:
        return None
    return (text(f"{word(len(invalid)).capitalize()} without an answer"),), (link(f"g{invalid[-1].number}", "find the cause"),)


def _unfinished(scene: Scene) -> Need | None:
    if not scene.history.undecided and not _cut(scene):
        return None
    return (text("Not finished"),), (text("the same command goes on where it stopped"),)


def _flagged(scene: Scene) -> Need | None:
    flagged = sum(bool(placed.row.flags) for placed in scene.history.placed(TrialRow))
    if not flagged:
        return None
    return (text(f"{counted(flagged, 'trial')} flagged"),), (link("flags", "see what was done"),)


def _cut(scene: Scene) -> bool:
    """Whether a run of `evolve` was begun and not ended."""
    names = Counter(placed.row.name for placed in scene.history.placed(EventRow))
    return names["run began"] > names["run ended"]
