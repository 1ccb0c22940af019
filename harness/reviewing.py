"""What `harness reviewers` works with: wiring for one panel, its records and its labelled changes, without a campaign."""

from __future__ import annotations

from collections import defaultdict
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from difflib import get_close_matches
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

from harness.config import REHEARSAL
from harness.errors import InputError, LedgerError
from harness.executors.local import LocalExecutor
from harness.gates import Outcome, judge_tests
from harness.ledger.rows import trial_document
from harness.ledger.schema import TrialRow
from harness.ledger.store import Store
from harness.review.agreement import alpha, corrected, effective_votes, error_correlation, kappa
from harness.review.calibrate import Purpose
from harness.review.calibration import Share
from harness.review.desk import Desk, gathered, standings
from harness.review.labelled import GOOD, Labelled
from harness.review.labels import PERSON, Label, label_of, labelled, settled
from harness.review.panel import ReviewPanel
from harness.review.personas import load_personas
from harness.review.planted import good
from harness.review.protocol import revote
from harness.review.queue import Waiting, reasons, unanswered
from harness.review.records import FOLDER, NAME, Records
from harness.review.verdict import Stand, again, verdict
from harness.style.measure import judge_rules
from harness.suites.admit import admitted_tasks
from harness.suites.catalog import load_suite
from harness.suites.patch import PatchError, patched
from harness.wiring import check_models, model_service, prices_of, provisional_seats, reviewer_model, run_budget, sandbox_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from harness.config import Config
    from harness.evaluate import Progress
    from harness.evidence import Vote
    from harness.models.prices import Prices
    from harness.ports import Model
    from harness.review.agreement import Corrected
    from harness.review.calibrate import Answered
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

    def standings(self, records: Records) -> dict[str, Earned]:
        """What each reviewer has earned, by name."""
        return standings(self.personas, lambda one: reviewer_model(self.config, one), records.latest(), datetime.now(UTC))


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
    with Store.open(config.output.state / FOLDER / "ledger.db", lambda: datetime.now(UTC)) as store:
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
        rules = judge_rules(self.reviewing.suite)
        return ReviewPanel(seated, self.model, model_id, rule=config.gates.review.rule, rules=rules)


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
        rules, executor = judge_rules(reviewing.suite), LocalExecutor(BATCHED if config.gates.review.batch else config.jobs)
        desk = Desk(
            personas=reviewing.personas,
            records=records,
            model_of=lambda one: reviewer_model(config, one),
            panel_of=lambda one: ReviewPanel((one,), model, reviewer_model(config, one), rules=rules),
            each=lambda work, items: executor.map(work, items, lambda: None),
            budget=run_budget(config),
            clock=lambda: datetime.now(UTC),
        )
        grading = Grading(config, reviewing.suite, progress, stack)
        yield Asking(reviewing=reviewing, records=records, model=model, desk=desk, grading=grading)


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """How the reviewers of one calibration agree, on all labelled changes that all of them were asked about.

    Kappa and alpha are over all of these, where specialists differ by design; errors only over what a reviewer must catch.
    """

    kappas: tuple[tuple[tuple[str, str], float | None], ...]
    alpha: float | None
    correlation: float | None
    effective: float | None
    right: tuple[tuple[str, Share], ...]  # the panel last
    corrected: Corrected | None

    @property
    def words(self) -> tuple[str, ...]:
        """What the figures say, a line each."""
        count = len(self.right) - 1
        worth = "unknown, too few errors" if self.effective is None else f"{self.effective:.1f} independent ones"
        together = "too few errors to say" if self.correlation is None else f"{self.correlation:.2f}"
        best = max(self.right[:-1], key=lambda one: one[1].hits)
        beside = f"{self.right[-1][1].hits} right answers of the panel, {best[1].hits} of its best member ({best[0]})"
        rate = "cannot be corrected: the panel tells good from bad no better than chance"
        if self.corrected:
            low, high = self.corrected.interval
            rate = f"{self.corrected.rate:.0%} ({low:.0%} to {high:.0%}), corrected for the panel's own errors"
        return (
            f"Krippendorff's alpha: {'none' if self.alpha is None else f'{self.alpha:.2f}'}",
            f"Errors made together (correlation): {together}; the {count} votes are worth: {worth}",
            beside,
            f"Share of these changes that deserve approval: {rate}",
        )

    @property
    def document(self) -> dict[str, object]:
        """The same as plain values."""
        return {
            "kappa": [{"reviewers": list(pair), "kappa": value} for pair, value in self.kappas],
            "alpha": self.alpha,
            "error_correlation": self.correlation,
            "effective_votes": self.effective,
            "right": {name: {"hits": share.hits, "of": share.of} for name, share in self.right},
            "corrected": {"rate": self.corrected.rate, "interval": list(self.corrected.interval)} if self.corrected else None,
        }


def agreement_of(reviewing: Reviewing, records: Records) -> Agreement:
    """Figures from the last calibration, its votes first computed again from the raw answers.

    Raises:
        InputError: there is none, or it was of other reviewers.
        LedgerError: a recorded vote does not come out again.
    """
    run = next(iter(records.runs()[::-1]), "")
    answers = [answer for answer in records.answers(run) if answer.purpose is Purpose.PLAIN] if run else []
    personas = {one.name: one for one in reviewing.personas}
    known = {vote.persona_id for answer in answers for vote in answer.votes}
    if not answers or known - {one.id for one in reviewing.personas}:
        raise InputError("no calibration of these reviewers; run harness reviewers calibrate first")
    table: dict[str, dict[str, Answered]] = defaultdict(dict)
    for answer in answers:
        changed = [vote for vote in answer.votes if revote(vote, personas[answer.reviewer]).answer != vote.answer]
        if changed:
            raise LedgerError(f"{answer.reviewer} on {answer.original}: the vote does not come out of its raw answer again")
        table[answer.original][answer.reviewer] = answer
    return _agreed(reviewing, {name: row for name, row in table.items() if len(row) == len(personas)})


def _agreed(reviewing: Reviewing, table: dict[str, dict[str, Answered]]) -> Agreement:
    truth = {name: next(iter(row.values())).kind == GOOD for name, row in table.items()}
    votes = {name: {who: _approves(answer) for who, answer in row.items()} for name, row in table.items()}
    names = [one.name for one in reviewing.personas]
    rule = reviewing.config.gates.review.rule
    panel = {name: verdict(reviewing.personas, _confirmed(reviewing, row), rule)[0] == "pass" for name, row in table.items()}
    approved_good = [panel[name] for name, good_one in truth.items() if good_one]
    refused_bad = [not panel[name] for name, good_one in truth.items() if not good_one]
    right = [(who, _share(votes[name][who] is truth[name] for name in table)) for who in names]
    duties = {one.name: {GOOD, *one.calibrate_on} for one in reviewing.personas}
    owed = {
        name: {who: _approves(answer) if answer.kind in duties[who] else None for who, answer in row.items()}
        for name, row in table.items()
    }
    correlation = error_correlation(owed, truth)
    return Agreement(
        kappas=tuple(
            ((first, second), kappa([row[first] for row in votes.values()], [row[second] for row in votes.values()]))
            for first, second in combinations(names, 2)
        ),
        alpha=alpha(votes),
        correlation=correlation,
        effective=None if correlation is None else effective_votes(len(names), correlation),
        right=(*right, ("panel", _share(panel[name] is truth[name] for name in table))),
        corrected=corrected(_share(panel.values()), _share(approved_good), _share(refused_bad)),
    )


def _confirmed(reviewing: Reviewing, row: dict[str, Answered]) -> list[Vote]:
    """The votes with each veto taken as confirmed: calibration asks every question once."""
    vetoes = {one.name for one in reviewing.personas if one.veto}
    votes = [vote for answer in row.values() for vote in answer.votes]
    return [*votes, *(replace(vote, view=again(vote.view)) for vote in votes if vote.answer == "no" and vote.reviewer in vetoes)]


def _approves(answer: Answered) -> bool | None:
    return {Stand.YES: True, Stand.NO: False}.get(Stand(answer.stand))


def _share(hits: Iterable[bool]) -> Share:
    found = list(hits)
    return Share(hits=sum(found), of=len(found))


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


def _dispute(labels: tuple[Label, ...]) -> str:
    said = ", ".join(f"{label.who or label.source}: {'accepted' if label.accepted else label.kind}" for label in labels)
    return f"labels contradict each other ({said})"


def _waiting_trials(store: Store, suite: Suite) -> Iterator[Waiting]:
    for campaign in store.campaigns():
        ledger = store.campaign(campaign)
        for row in ledger.rows(TrialRow):
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
