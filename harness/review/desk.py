"""The desk where reviewers are measured: labelled changes gathered, asked about once each, recorded, and summed up.

Answers are kept as they come, so that a run that was cut goes on with what is left. Which adapters do the work is wiring's.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.budget import Amount, amount
from harness.review.calibrate import ask, calibration, questions
from harness.review.calibration import Earned, earned
from harness.review.labels import labelled, settled
from harness.review.planted import broken, good, planted
from harness.review.protocol import PROTOCOL_ID
from harness.review.verdict import Stand

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import datetime

    from harness.budget import Budget
    from harness.ports import Panel
    from harness.review.calibrate import Answered, Each, Question
    from harness.review.calibration import Calibration
    from harness.review.labelled import Labelled
    from harness.review.personas import Persona
    from harness.review.records import Records
    from harness.task import Task

MOST_OF_A_KIND = 48  # changes: 40 are the least that can earn a seat, and a few may stay without an answer
QUESTION_CALLS = 3
QUESTION_USD = 0.05  # reserved for one question of at most three calls; a planning figure of ours, far above list prices


@dataclass(frozen=True, kw_only=True)
class Desk:
    """Everything that measuring needs. `model_of` names who answers for a persona, `panel_of` seats it alone."""

    personas: tuple[Persona, ...]
    records: Records
    model_of: Callable[[Persona], str]
    panel_of: Callable[[Persona], Panel]
    each: Each
    budget: Budget
    clock: Callable[[], datetime]

    def calibrate(self, changes: Sequence[Labelled], answered: Callable[[int, int], None]) -> tuple[Calibration, ...]:
        """Ask what has no answer yet, then write each reviewer's calibration.

        Args:
            changes: what is asked about.
            answered: told how many of how many questions have their answer.

        Raises:
            BudgetSpentError: a limit of the run is reached; answers so far are kept.
        """
        run = self._run(changes)
        wanted = {question.key: question for question in questions(self.personas, changes)}
        done = {answer.key: answer for answer in self.records.answers(run)}
        todo = [question for key, question in wanted.items() if key not in done]
        for answer in self.each(lambda question: self._ask(question, run), todo):
            done[answer.key] = answer
            answered(len(done), len(wanted))
        now = self.clock()
        found = tuple(calibration(persona, self.model_of(persona), tuple(done.values()), now) for persona in self.personas)
        self.records.add_calibrations(run, found)
        return found

    def left(self, changes: Sequence[Labelled]) -> int:
        """How many questions have no answer yet."""
        done = {answer.key for answer in self.records.answers(self._run(changes))}
        return sum(question.key not in done for question in questions(self.personas, changes))

    def standings(self) -> dict[str, Earned]:
        """What each reviewer has earned, by name."""
        return standings(self.personas, self.model_of, self.records.latest(), self.clock())

    def _ask(self, question: Question, run: str) -> Answered:
        """Booked and written down before it is used; what the service did not answer is asked again next time."""
        most = Amount(usd=QUESTION_USD, calls=QUESTION_CALLS)
        self.budget.reserve(most)
        spent = Amount()
        try:
            answer = ask(question, self.panel_of, run)
            spent = amount(answer.calls)
            if answer.stand != Stand.UNASKED:
                self.records.add_answer(run, question.key, answer)
        finally:
            self.budget.book(most, spent)
        return answer

    def _run(self, changes: Sequence[Labelled]) -> str:
        """The run's name: what is measured on what, and how often that was completed before."""
        seats = [[persona.id, self.model_of(persona)] for persona in self.personas]
        content = json.dumps([seats, PROTOCOL_ID, sorted(change.id for change in changes)])
        base = hashlib.sha256(content.encode()).hexdigest()[:16]
        return f"{base}-{sum(run.startswith(base) for run in self.records.runs()) + 1}"


def standings(
    personas: Sequence[Persona],
    model_of: Callable[[Persona], str],
    latest: Mapping[tuple[str, str], Calibration],
    now: datetime,
) -> dict[str, Earned]:
    """What each reviewer has earned with the model that answers for it, by name. `now` is an aware time."""
    models = {persona.name: model_of(persona) for persona in personas}
    return {
        persona.name: earned(persona, models[persona.name], latest.get((persona.name, models[persona.name])), now)
        for persona in personas
    }


def gathered(
    tasks: Sequence[Task],
    records: Records,
    *,
    admitted: frozenset[str],
    fails: Callable[[Labelled], bool],
    known: frozenset[str] = frozenset(),
) -> tuple[Labelled, ...]:
    """Labelled changes of a suite and of people, each once, at most MOST_OF_A_KIND of a kind beside all of people's.

    Args:
        tasks: the suite's tasks.
        records: where people's labels are kept.
        admitted: tasks whose sample was proven bad when the suite was admitted.
        fails: grades a change by its task's own tests.
        known: where not empty, only labels of these tasks can be asked about (the rehearsal knows no others).
    """
    order = sorted(tasks, key=lambda task: task.id_hash)
    by_id = {task.id: task for task in tasks}
    people = [labelled(label, by_id) for label in settled(records.labels())[0] if not known or label.task in known]
    found = {change.id: change for change in people}
    counts: dict[str, int] = {}
    for task in order:
        for change in _made(task, counts, admitted=task.id in admitted, fails=fails):
            if counts.get(change.kind, 0) < MOST_OF_A_KIND:
                counts[change.kind] = counts.get(change.kind, 0) + 1
                found.setdefault(change.id, change)
    return tuple(found.values())


def _made(task: Task, counts: dict[str, int], *, admitted: bool, fails: Callable[[Labelled], bool]) -> Iterator[Labelled]:
    """Grading is dear, so a mutant is sought only where one is still wanted."""
    yield good(task)
    if counts.get("behaviour", 0) < MOST_OF_A_KIND:
        bad = broken(task, admitted=admitted, fails=fails)
        if bad:
            yield bad
    yield from planted(task)
