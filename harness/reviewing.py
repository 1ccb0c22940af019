"""What `harness reviewers` works with: wiring for one panel, its records and its labelled changes, without a campaign."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cached_property
from typing import TYPE_CHECKING

from harness.config import REHEARSAL
from harness.errors import InputError
from harness.executors.local import LocalExecutor
from harness.gates import Outcome, judge_tests
from harness.ledger.rows import trial_document
from harness.ledger.schema import TrialRow
from harness.ledger.store import Store
from harness.review.calibration import Share
from harness.review.desk import Desk, gathered, standings
from harness.review.labelled import GOOD, Labelled
from harness.review.labels import PERSON, Label, label_of, labelled, settled
from harness.review.panel import ReviewPanel, Terms
from harness.review.personas import load_personas
from harness.review.planted import good
from harness.review.queue import Waiting, reasons, unanswered
from harness.review.records import FOLDER, NAME, Records
from harness.rollout import Ending
from harness.style.measure import judge_rules
from harness.suites.admit import admitted_tasks, dropped_rules
from harness.suites.catalog import load_suite
from harness.suites.patch import PatchError, patched
from harness.wiring.images import sandbox_of
from harness.wiring.inputs import check_models, now_utc, prices_of, provisional_seats, reviewer_model
from harness.wiring.service import model_service
from harness.wiring.session import run_budget

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from pathlib import Path

    from harness.config import Config
    from harness.evaluate import Progress
    from harness.models.prices import Prices
    from harness.ports import Model
    from harness.review.calibration import Earned
    from harness.review.personas import Persona
    from harness.sandbox.docker_sandbox import DockerSandbox
    from harness.task import Suite

BATCHED = 256  # questions that wait side by side where a batch takes them together


@dataclass(frozen=True, kw_only=True)
class Reviewing:
    """Suite, personas and prices, read and checked; nothing is started."""

    config: Config
    suite: Suite
    personas: tuple[Persona, ...]
    prices: Prices

    @cached_property
    def judge_rules(self) -> dict[str, tuple[str, ...]]:
        """By task, the quoted rules that its reviewers are given."""
        return judge_rules(self.suite, dropped_rules(self.config.suite.path))

    def change(self, task: str, patch: Path | None) -> Labelled:
        """A task's reference, or a patch of its base.

        Raises:
            InputError: no such task or file, or a patch that does not fit.
        """
        if task not in self.suite.by_id:
            near = ", ".join(get_close_matches(task, self.suite.by_id, cutoff=0.4)) or "harness suite show lists them"
            raise InputError(f"{self.config.suite.path}: no task {task!r}; did you mean: {near}")
        found = self.suite.by_id[task]
        if patch is None:
            return good(found)
        try:
            after = patched(found.base, patch.read_bytes().decode("utf-8", "surrogateescape"))
        except (OSError, PatchError) as error:
            raise InputError(f"{patch}: not a patch of {task}'s base: {error}") from error
        if after == found.base:
            raise InputError(f"{patch}: changes nothing, so there is nothing to review")
        return Labelled(task=found, after=after, kind=GOOD, source="by hand")

    def standings(self, records: Records, now: datetime) -> dict[str, Earned]:
        """What each reviewer has earned, by name. `now` is an aware time."""
        return standings(self.personas, lambda one: reviewer_model(self.config, one), records.latest(), now)


def read_reviewing(config: Config, *, asking: bool) -> Reviewing:
    """Read and check suite and reviewers; with `asking` also key and models.

    Raises:
        InputError: what is wrong, where, and what to do.
        KeyMissingError: a live model without a key.
    """
    personas = load_personas(config.gates.review.reviewers)
    prices = prices_of(config)
    if asking:
        check_models(config, personas, prices, agent=False)
    return Reviewing(config=config, suite=load_suite(config.suite.path), personas=personas, prices=prices)


@contextmanager
def opened_records(config: Config) -> Iterator[Records]:
    """The reviewers' ledger for writing.

    Raises:
        UnavailableError: another process writes it.
        LedgerError: it is damaged.
    """
    with Store.open(config.output.state / FOLDER / "ledger.db", now_utc) as store:
        yield Records(store.campaign(NAME))


@dataclass(frozen=True, kw_only=True)
class Asking:
    """A running set-up in which reviewers can be asked."""

    reviewing: Reviewing
    records: Records
    model: Model
    desk: Desk
    grading: Grading

    def changes(self) -> tuple[Labelled, ...]:
        """All labelled changes that there are to calibrate on."""
        config, suite = self.reviewing.config, self.reviewing.suite
        known = frozenset(suite.by_id) if config.is_rehearsal else frozenset()
        admitted = admitted_tasks(config.suite.path, suite)
        return gathered(suite.tasks, self.records, admitted=admitted, fails=self.grading.fails, known=known)

    def panel(self) -> ReviewPanel:
        """The whole panel as a campaign would seat it."""
        config, personas = self.reviewing.config, self.reviewing.personas
        provisional = provisional_seats(config, personas)
        seated = [replace(one, veto=one.veto and one.name not in provisional) for one in personas]
        model_id = REHEARSAL if config.is_rehearsal else config.model.reviewer
        terms = Terms(model_id=model_id, rule=config.gates.review.rule, rules=self.reviewing.judge_rules)
        return ReviewPanel(seated, self.model, terms)


class Grading:
    """Grades changes by their task's own tests; the engine is started only when the first change needs it."""

    def __init__(self, config: Config, suite: Suite, progress: Progress, stack: ExitStack) -> None:
        self._given = (config, suite, progress, stack)

    @cached_property
    def _sandbox(self) -> DockerSandbox:
        return sandbox_of(*self._given)

    def fails(self, change: Labelled) -> bool:
        """Whether the tests ran and refuse it. Raises TrialEndedError or DockerUnavailableError where they cannot be run."""
        report = self._sandbox.grade(change.task, change.change).tests
        return not report.problem and judge_tests(report).outcome is Outcome.FAIL


@contextmanager
def opened_asking(reviewing: Reviewing, progress: Progress) -> Iterator[Asking]:
    """Start the model's service for the reviewers alone. Everything is ended on leaving.

    Raises:
        UnavailableError: the service cannot be used, or another process writes the reviewers' ledger.
    """
    config = reviewing.config
    with ExitStack() as stack:
        records = stack.enter_context(opened_records(config))
        model = model_service(config, reviewing.personas, reviewing.prices, stack).batched
        rules, executor = reviewing.judge_rules, LocalExecutor(BATCHED if config.gates.review.batch else config.jobs)
        desk = Desk(
            personas=reviewing.personas,
            records=records,
            model_of=lambda one: reviewer_model(config, one),
            panel_of=lambda one: ReviewPanel((one,), model, Terms(model_id=reviewer_model(config, one), rules=rules)),
            each=lambda work, items: executor.map(work, items, lambda: None),
            budget=run_budget(config),
            clock=now_utc,
        )
        grading = Grading(config, reviewing.suite, progress, stack)
        yield Asking(reviewing=reviewing, records=records, model=model, desk=desk, grading=grading)


def waiting(reviewing: Reviewing, records: Records) -> tuple[Waiting, ...]:
    """What waits for a person: labels in dispute first, then recorded trials of this suite, each change once.

    Raises:
        LedgerError: the campaigns' ledger is damaged.
    """
    labels = records.labels()
    tasks = reviewing.suite.by_id
    disputes = [
        Waiting(id=given[0].change_id, change=labelled(given[0], tasks), reasons=(_dispute(given),), votes=())
        for given in settled(labels)[1]
    ]
    path = reviewing.config.output.state / "ledger.db"
    if not path.is_file():
        return tuple(disputes)
    with Store.read(path) as store:
        found = tuple(_waiting_trials(store, reviewing.suite))
    return (*disputes, *unanswered(found, labels))


def approvals(config: Config) -> Share | None:
    """Changes that the panel approved in the last campaign, of those that it judged; None without a ledger or a trial.

    Raises:
        LedgerError: the ledger is damaged.
    """
    path = config.output.state / "ledger.db"
    if not path.is_file():
        return None
    with Store.read(path) as store:
        rows = store.campaign(store.campaigns()[-1]).rows(TrialRow) if store.campaigns() else ()
    judged = [row.verdicts["review"] for row in rows if row.ending == Ending.FINISHED and row.verdicts["review"] != "missing"]
    return Share(hits=judged.count("pass"), of=len(judged)) if judged else None


def _dispute(labels: tuple[Label, ...]) -> str:
    said = ", ".join(f"{label.who or label.source}: {'accepted' if label.accepted else label.kind}" for label in labels)
    return f"labels contradict each other ({said})"


def _waiting_trials(store: Store, suite: Suite) -> Iterator[Waiting]:
    for campaign in store.campaigns():
        ledger = store.campaign(campaign)
        for row in sorted(ledger.rows(TrialRow), key=lambda it: it.key):  # not as they happened to end
            task = suite.by_id.get(row.task)
            report = trial_document(row, ledger.blob).review if task else None
            why = reasons(report, row.flags) if report else ()
            if not why or task is None or report is None:
                continue
            try:
                after = patched(task.base, ledger.blob(row.change_blob).decode("utf-8", "surrogateescape"))
                change = Labelled(task=task, after=after, kind=GOOD, source=PERSON)
                name = label_of(change, accepted=True, kind="", reason="", who="").change_id
            except (PatchError, InputError):
                continue  # of another version of the task, or not text: nothing that a person could be shown whole
            yield Waiting(id=name, change=change, reasons=why, votes=report.votes)
