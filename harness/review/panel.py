"""The panel at work: one seat per persona, as few questions as settle the outcome, one retry of an answer that is no vote.

What an answer means is the protocol's; what the votes come to is the verdict's.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from harness.budget import BudgetSpentError
from harness.errors import PersonaError, SuiteError
from harness.evidence import PanelReport, Vote
from harness.ports import Reviewed, TrialEndedError
from harness.review.personas import VIEWS
from harness.review.protocol import Case, request, vote
from harness.review.shown import shown, within
from harness.review.verdict import Stand, again, seats, settled, verdict
from harness.trial import Stage

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from harness.ports import Model, Panel
    from harness.review.personas import Persona
    from harness.review.shown import Shown
    from harness.review.verdict import Rule
    from harness.rollout import Call, Change
    from harness.task import Task
    from harness.trial import TrialKey

MOST_BATCHED_LOOKS = 2
MAX_CHARS = 120_000  # of the diff: about 30,000 tokens, so that one panel's calls stay within a dime or two


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """On what terms a panel sits.

    `model_id` replaces the personas' own models; `rules` are quoted judge rules by task; `out` names seats that canaries threw
    out of this session, with the reason: they are not asked, and their votes are void; `limit` is the largest diff that is
    asked about, in characters. With `side_by_side` all seats are asked at once, for answers that take hours; it may cost a
    question more.
    """

    model_id: str = ""
    rule: Rule = "majority"
    rules: Mapping[str, Sequence[str]] = field(default_factory=dict)
    out: Mapping[str, str] = field(default_factory=dict)
    limit: int = MAX_CHARS
    side_by_side: bool = False

    def __post_init__(self) -> None:
        """Refuse a judge rule without words.

        Raises:
            SuiteError: naming the task.
        """
        empty = [task for task, texts in self.rules.items() if not all(text.strip() for text in texts)]
        if empty:
            raise SuiteError(f"task {empty[0]}: a rule for the reviewers has no text")


USUAL = Terms()


class ReviewPanel:
    """Implements `ports.Panel`, every seat through one model service.

    All seats are asked about the original change. Where that leaves the outcome open, each is asked about the stripped one,
    unless stripping takes nothing away from the changed lines: then its first answer stands for both.
    """

    def __init__(self, personas: Sequence[Persona], model: Model, terms: Terms = USUAL) -> None:
        """Seat the personas, one seat each.

        Raises:
            PersonaError: no persona, or two of one name.
        """
        names = [persona.name for persona in personas]
        if not names or len(set(names)) != len(names):
            raise PersonaError(f"a panel needs reviewers with different names, not: {', '.join(names) or 'nobody'}")
        self._personas = tuple(personas)
        self._model = model
        self._terms = terms

    def review(self, task: Task, change: Change, key: TrialKey) -> Reviewed:
        """All seats' votes on one change. The key enters the opaque tag, the fence's hash and the items' order, never the text.

        Raises:
            SuiteError: the task has no instruction to review against.
            BudgetSpentError: a call could pass a limit; the error has the calls that were made.
        """
        if not task.instruction.strip():
            raise SuiteError(f"task {task.id}: no instruction to review against")
        original, stripped = (shown(change, view, self._terms.limit) for view in VIEWS)
        problem = original.problem or stripped.problem
        if problem:
            return Reviewed(report=_report((), "fail", f"not reviewable: {problem}"), calls=())
        session = _Session(model=self._model, terms=self._terms, task=task, key=key)
        out = self._terms.out
        session.votes += [_void(persona, out[persona.name]) for persona in self._personas if persona.name in out]
        try:
            for view in (original, stripped):
                self._round(session, view, original)
        except TrialEndedError as error:
            reason = f"no answer from the service: {error.cause}"
            return Reviewed(report=_report(session.votes, "missing", reason), calls=(*session.calls, *error.calls))
        except BudgetSpentError as error:
            raise error.within(tuple(session.calls)) from error
        report = _report(session.votes, *verdict(self._personas, session.votes, self._terms.rule))
        return Reviewed(report=report, calls=tuple(session.calls))

    def _round(self, session: _Session, view: Shown, original: Shown) -> None:
        """Ask about one view. A second round asks only seats that said yes, and ends once the outcome is settled."""
        if self._terms.side_by_side:
            self._together(session, view, original)
            return
        for persona in self._personas:
            if view is not original and settled(seats(self._personas, session.votes), self._terms.rule):
                return
            self._seat(session, persona, view, original)

    def _together(self, session: _Session, view: Shown, original: Shown) -> None:
        """The same with all seats asked at once; votes and calls stand in the order of the seats."""
        if view is not original and settled(seats(self._personas, session.votes), self._terms.rule):
            return
        so_far = len(session.votes)
        parts = [(persona, replace(session, votes=[*session.votes], calls=[])) for persona in self._personas]
        with ThreadPoolExecutor(len(parts)) as pool:
            asked = [pool.submit(self._seat, part, persona, view, original) for persona, part in parts]
        for _, part in parts:
            session.votes += part.votes[so_far:]
            session.calls += part.calls
        for done in asked:
            done.result()

    def _seat(self, session: _Session, persona: Persona, view: Shown, original: Shown) -> None:
        """One seat's vote on one view, and the confirmation of a veto; nothing where it needs no vote."""
        if view.view not in persona.views or seats([persona], session.votes)[0].stand is not Stand.UNASKED:
            return
        mine, first = within(view, persona), within(original, persona)
        if not mine.files:
            session.votes.append(_unasked(persona, view, "nothing in its scope"))
        elif view is not original and mine.changed == first.changed:
            session.votes.append(_unasked(persona, view, "stripping takes nothing away; the first answer stands"))
        else:
            session.ask(persona, mine)
            if persona.veto and session.votes[-1].answer == "no":
                session.ask(persona, mine, veto=True)


class StagedPanel:
    """`ports.Panel`: one panel for the stages that can wait for message batches, another for those that cannot."""

    def __init__(self, live: Panel, batched: Panel, stages: Collection[Stage]) -> None:
        self._live = live
        self._batched = batched
        self._stages = frozenset(stages)

    def review(self, task: Task, change: Change, key: TrialKey) -> Reviewed:
        """All seats' votes, through the panel of the trial's stage."""
        return (self._batched if key.stage in self._stages else self._live).review(task, change, key)


def batched_stages(looks: int) -> frozenset[Stage]:
    """The stages that can wait: preflight and vault; confirmations only with two looks at most, since each waits for a sweep."""
    return frozenset({Stage.PREFLIGHT, Stage.VAULT, *([Stage.CONFIRM] if looks <= MOST_BATCHED_LOOKS else [])})


@dataclass(slots=True, kw_only=True)
class _Session:
    """One change before the panel: votes and calls as they come, kept when the service fails half-way."""

    model: Model
    terms: Terms
    task: Task
    key: TrialKey
    votes: list[Vote] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)

    def ask(self, persona: Persona, change: Shown, *, veto: bool = False) -> None:
        """Add the seat's vote on one view. An answer that is neither yes nor no is asked for once more; the second stands.

        One that was cut off is given twice the length then: the same limit would most likely cut it off again.
        With `veto` it is the same question once more, for a no that would decide alone, recorded as the view "again".
        """
        rules = tuple(self.terms.rules.get(self.task.id, ()))
        case = Case(key=self.key, instruction=self.task.instruction, rules=rules, change=change)
        attempts = ("veto 1", "veto 2") if veto else ("1", "2")
        given = self._answer(case, persona, attempts[0])
        if given.answer not in {"yes", "no"}:
            second = self._answer(case, persona, attempts[1], longer=given.stop == "max_tokens")
            given = replace(second, reason=f"{second.reason} (second answer; the first: {given.reason})")
        self.votes.append(replace(given, view=again(given.view)) if veto else given)

    def _answer(self, case: Case, persona: Persona, attempt: str, *, longer: bool = False) -> Vote:
        """The call is booked before its content is read."""
        asked = request(case, persona, self.terms.model_id or persona.model, attempt)
        if longer:
            asked = replace(asked, max_tokens=2 * asked.max_tokens)
        reply = self.model.send(asked)
        self.calls.append(reply.call)
        return vote(asked, reply, persona, case)


def _unasked(persona: Persona, view: Shown, reason: str) -> Vote:
    return Vote(reviewer=persona.name, persona_id=persona.id, view=view.view, answer="yes", reason=reason)


def _void(persona: Persona, reason: str) -> Vote:
    return Vote(reviewer=persona.name, persona_id=persona.id, view=persona.views[0], answer="void", reason=reason)


def _report(votes: Sequence[Vote], outcome: str, reason: str) -> PanelReport:
    return PanelReport(votes=tuple(votes), outcome=outcome, reason=reason)
