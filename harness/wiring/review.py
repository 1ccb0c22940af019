"""The reviewers' panel of a run, and the canaries that open every session."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from harness.budget import BudgetSpentError
from harness.config import REHEARSAL
from harness.errors import IncompleteError, PersonaError, ServiceUnavailableError
from harness.executors.local import LocalExecutor
from harness.ledger.rows import call_rows
from harness.ledger.schema import EventRow
from harness.review.canaries import watched
from harness.review.panel import ReviewPanel, StagedPanel, Terms, batched_stages
from harness.review.planted import broken, good, planted
from harness.review.verdict import quorate
from harness.style.measure import judge_rules
from harness.suites.admit import admitted_tasks
from harness.wiring.inputs import Inputs, Order, reviewer_model

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from harness.ports import Model, Panel
    from harness.review.labelled import Labelled
    from harness.task import Task
    from harness.wiring.service import Service
    from harness.wiring.session import Session

CANARY_QUESTIONS = 3  # a reviewer; all are asked side by side
CANARY_TASKS = 4  # among which the first that a canary can be made of is taken


def panel_of(inputs: Inputs, service: Service, out: Mapping[str, str]) -> Panel:
    """The panel; `out` names the seats that may not vote in this session, and why."""
    config = inputs.config
    terms = Terms(
        model_id=REHEARSAL if config.is_rehearsal else config.model.reviewer,
        rule=config.gates.review.rule,
        rules=judge_rules(inputs.suite, inputs.dropped),
        out=out,
    )
    live = ReviewPanel(inputs.personas, service.model, terms)
    batched = ReviewPanel(inputs.personas, service.batched, replace(terms, side_by_side=config.gates.review.batch))
    return StagedPanel(live, batched, batched_stages(config.decision.looks))


def seats_out(inputs: Inputs, session: Session, model: Model) -> dict[str, str]:
    """The seats that are out for this session, and why; asked, booked and written down before anything else is reviewed.

    Raises:
        PersonaError: without them there is no quorum.
        ServiceUnavailableError: the service does not answer.
    """
    config, suite, ledger = inputs.config, inputs.suite, session.ledger
    number = sum(row.name == "canaries" for row in ledger.rows(EventRow)) + 1
    name = f"canaries/{ledger.campaign[:16]}/{number}"
    tasks = Order(config.seed)(name, [task.id for task in suite.tasks])
    admitted = admitted_tasks(config.suite.path, suite)
    pool = canary_changes([suite.by_id[task] for task in tasks], admitted)
    rules = judge_rules(suite, inputs.dropped)
    executor = LocalExecutor(max(config.jobs, CANARY_QUESTIONS * len(inputs.personas)))
    try:
        watch = watched(
            inputs.personas,
            pool,
            lambda one: ReviewPanel((one,), model, Terms(model_id=reviewer_model(config, one), rules=rules)),
            name,
            lambda work, items: executor.map(work, items, lambda: None),
        )
    except BudgetSpentError as error:
        ledger.add(*call_rows(f"{name}/given up", error.calls))
        raise IncompleteError(f"nothing was tried: {error}; {error.then}") from error
    calls = [call for answer in watch.answers for call in answer.calls]
    said = {"out": dict(watch.out), "notes": watch.notes}
    ledger.add(EventRow(key=name, name="canaries", data=json.dumps(said)), *call_rows(name, calls))
    for note in (*watch.notes, *(f"reviewer {one} is out for this session: {reason}" for one, reason in watch.out)):
        session.progress.note(note)
    if watch.silent:
        raise ServiceUnavailableError(f"the model's service does not answer the reviewers' canaries: {watch.silent}; try later")
    if not quorate(inputs.personas, dict(watch.out)):
        raise PersonaError(
            f"reviewer {watch.out[0][0]}: {watch.out[0][1]}; without it there is no quorum: change its model or its file"
        )
    return dict(watch.out)


def canary_changes(tasks: Sequence[Task], admitted: frozenset[str]) -> Iterator[Labelled]:
    """Labelled changes of the first tasks, good and bad; behaviour only where admission has proven it bad."""
    for task in tasks[:CANARY_TASKS]:
        yield good(task)
        bad = broken(task, admitted=task.id in admitted, fails=lambda _: False)
        if bad:
            yield bad
        yield from planted(task)
