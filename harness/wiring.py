"""The composition root: the only module that names concrete adapters, and the only one that knows of the rehearsal.

First everything that can be wrong with the input is found, with nothing started and nothing spent; then services are started,
in the order in which they are cheap to fail.
"""

from __future__ import annotations

import json
import os
import random
import tempfile
import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from harness.agents.command import CommandAgent
from harness.agents.idle import IdleAgent
from harness.agents.reference import ReferenceAgent
from harness.agents.tool_loop import ToolLoop
from harness.budget import Budget, Metered
from harness.campaign import Campaign
from harness.config import REHEARSAL, Config, campaign_id, campaign_settings
from harness.decision.rules import Rules, Saturated
from harness.delivery import collisions, deliver
from harness.errors import ConfigError, InputError, KeyMissingError, PersonaError, ServiceUnavailableError, SuiteError
from harness.evaluate import Bench, Evaluator
from harness.executors.local import LocalExecutor
from harness.flags import flags_of
from harness.leak import LeakIndex
from harness.ledger.rows import call_rows
from harness.ledger.schema import CampaignRow, EventRow
from harness.ledger.store import Store
from harness.models.anthropic_api import AnthropicModel
from harness.models.anthropic_batches import WAITING, BatchModel, Waiting
from harness.models.prices import FREE, list_prices
from harness.models.rehearsal.rates import truth
from harness.models.rehearsal.service import Rehearsal
from harness.models.rehearsal.settings import Faults, ReviewerErrors, Settings
from harness.ports import Limits
from harness.proposers.reflect import ReflectProposer
from harness.publish import publish
from harness.review.calibration import Standing
from harness.review.canaries import watched
from harness.review.desk import standings
from harness.review.panel import ReviewPanel, StagedPanel, batched_stages
from harness.review.personas import load_personas
from harness.review.planted import broken, good, planted
from harness.review.records import FOLDER, NAME, Records
from harness.review.verdict import quorate
from harness.sandbox.docker_sandbox import DockerSandbox
from harness.skill import Variant
from harness.skill_io import read_skill
from harness.style.measure import StyleInstrument, judge_rules
from harness.suites.admit import Admissions, admitted_tasks, require_admitted
from harness.suites.catalog import load_suite
from harness.task import Split

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from harness.campaign import Rates
    from harness.evaluate import Progress
    from harness.ledger.store import CampaignLedger
    from harness.models.prices import Prices
    from harness.ports import Agent, Announce, Model, Panel
    from harness.review.calibration import Calibration
    from harness.review.labelled import Labelled
    from harness.review.personas import Persona
    from harness.skill import Skill
    from harness.task import Suite, Task

FEWEST_HOLDOUT = 20  # decision.md, stage 0: under this, unattended promotion needs words in the configuration
CANARY_QUESTIONS = 3  # a reviewer; all are asked side by side
CANARY_TASKS = 4  # among which the first that a canary can be made of is taken
CONSENT = "I accept unattended promotion on few tasks"


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """Everything read from disk, checked; nothing is started."""

    config: Config
    suite: Suite
    skill: Skill
    personas: tuple[Persona, ...]
    prices: Prices
    provisional: tuple[tuple[str, str], ...] = ()  # reviewers without a veto until they are calibrated, and why


@dataclass(frozen=True, kw_only=True)
class Session:
    """A running set-up for one campaign."""

    inputs: Inputs
    store: Store
    ledger: CampaignLedger
    bench: Bench
    evaluator: Evaluator
    budget: Budget
    model: Model
    progress: Progress

    def campaign(self, skill: Skill) -> Campaign:
        """The campaign's values for the loop, generation 0 written."""
        config, suite = self.inputs.config, self.inputs.suite
        index = LeakIndex(suite.tasks)
        model_id = config.model.id
        campaign = Campaign(
            ledger=self.ledger,
            suite=suite,
            rules=rules_of(config),
            evaluator=self.evaluator,
            proposer=ReflectProposer(self.model, model_id),
            progress=self.progress,
            shuffle=Order(config.seed),
            leaks=lambda changed: index.refusal("\n".join(file.text for _, file in changed.tree)),
            truth=lambda changed: known_truth(self.inputs, changed),
            publish=lambda variant: publish(config.output.state, variant),
            batch=config.proposer.batch,
            memory=config.proposer.memory == "ledger",
            options=config.decision.options,
        )
        campaign.start(skill)
        return campaign


class Order:
    """`campaign.Shuffle` from a seed."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def __call__(self, label: str, items: Sequence[str]) -> tuple[str, ...]:
        """The items in an order that depends on seed and label alone."""
        return tuple(random.Random(f"{self._seed}/{label}").sample(items, len(items)))  # noqa: S311  (an order, not a secret)


def read_inputs(config: Config, *, holdout: bool = False) -> Inputs:
    """Read and check skill, suite, reviewers, key and model; with `holdout` also that there is something to decide on.

    Raises:
        InputError: what is wrong, where, and what to do.
        KeyMissingError: a live model without a key.
    """
    skill = read_skill(config.skill.path)
    suite = load_suite(config.suite.path)
    personas = load_personas(config.gates.review.reviewers)
    prices = prices_of(config)
    check_models(config, personas, prices)
    if config.agent.kind == "command" and not config.agent.command:
        raise ConfigError("--agent command needs --command '...': the shell command that works on a task")
    if holdout:
        _check_holdout(config, suite)
        require_admitted(config.suite.path, suite)
    _check_delivery(config, skill, suite)
    provisional = provisional_seats(config, personas)
    seated = tuple(replace(persona, veto=persona.veto and persona.name not in provisional) for persona in personas)
    return Inputs(
        config=config, suite=suite, skill=skill, personas=seated, prices=prices, provisional=tuple(sorted(provisional.items()))
    )


def rules_of(config: Config) -> Rules:
    """The decision's rules as configured.

    Raises:
        ConfigError: alpha, looks or margin out of range.
    """
    chosen = config.decision
    return Rules(alpha=chosen.alpha, looks=chosen.looks, saturated=Saturated(chosen.saturated), margin=chosen.margin)


def known_truth(inputs: Inputs, skill: Skill) -> Rates | None:
    """The rehearsal's known rates of a skill on holdout; None with a live model or another agent than the tool loop."""
    if not inputs.config.is_rehearsal or inputs.config.agent.kind != "tool_loop":
        return None
    found = truth(skill.text, inputs.suite.split(Split.HOLDOUT) or inputs.suite.tasks)
    return found.tests, found.style, found.review


@contextmanager
def opened(inputs: Inputs, progress: Progress, command: str, extra: str = "") -> Iterator[Session]:
    """Start what a campaign needs: engine and images, ledger, model. Everything is ended on leaving, whatever happens.

    Args:
        inputs: what `read_inputs` gave.
        progress: who is told.
        command: part of the campaign's identity, since trials of one command are not another's.
        extra: further content that the identity covers, such as a second skill's hash.

    Raises:
        UnavailableError: the engine or the model's service cannot be used.
        LedgerError: the ledger is damaged.
    """
    config = inputs.config
    settings = settings_of(inputs, command, extra)
    state = config.output.state
    with ExitStack() as stack:
        sandbox = sandbox_of(config, inputs.suite, progress, stack)
        store = stack.enter_context(Store.open(state / "ledger.db", lambda: datetime.now(UTC)))
        ledger = store.campaign(campaign_id(settings))
        for changed in changed_reviewers([row.settings for row in ledger.everywhere(CampaignRow)], settings):
            progress.note(
                f"reviewer {changed} is not the one of an earlier campaign with these settings: this is another campaign"
            )
        ledger.add(_campaign_row(inputs, ledger, settings))
        services = started(config, inputs.personas, inputs.prices, stack)
        reviewers = Budget(max_usd=config.budget.reviewer_usd, max_hours=None, clock=time.monotonic, name="reviewers")
        reviewing = services.metered(reviewers)
        bench = _bench(inputs, sandbox, services.live, _panel(inputs, reviewing, {}))
        _self_test(inputs, sandbox, bench, progress)
        budget = run_budget(config, reviewers)
        session = Session(
            inputs=inputs,
            store=store,
            ledger=ledger,
            bench=bench,
            evaluator=Evaluator(bench, ledger, LocalExecutor(config.jobs), budget, progress),
            budget=budget,
            model=services.live,
            progress=progress,
        )
        for name, reason in inputs.provisional:
            progress.note(f"reviewer {name} votes without a veto: {reason}; see harness reviewers calibrate")
        if command != "trial":
            bench = replace(bench, panel=_panel(inputs, reviewing, _canaries(inputs, session, reviewing.batched)))
            session = replace(
                session, bench=bench, evaluator=Evaluator(bench, ledger, LocalExecutor(config.jobs), budget, progress)
            )
        yield session


@contextmanager
def admissions(config: Config, suite: Suite, progress: Progress) -> Iterator[Admissions]:
    """What admits tasks; the engine's side is ended on leaving.

    Raises:
        DockerUnavailableError: the engine cannot be used.
    """
    with ExitStack() as stack:
        sandbox = sandbox_of(config, suite, progress, stack)
        yield Admissions(sandbox, StyleInstrument(suite), LocalExecutor(config.jobs))


def run_budget(config: Config, reviewers: Budget | None = None) -> Budget:
    """What this run may spend, with the reviewers' part of it; a rehearsal costs nothing."""
    usd = None if config.is_rehearsal else config.budget.max_usd
    return Budget(max_usd=usd, max_hours=config.budget.max_hours, clock=time.monotonic, part=reviewers)


def settings_of(inputs: Inputs, command: str, extra: str = "") -> str:
    """Canonical JSON of all that the campaign's identity covers."""
    return campaign_settings(
        inputs.config,
        command=command,
        extra=extra,
        harness=version("coding-skill-harness"),
        skill=inputs.skill.id,
        suite=inputs.suite.hash,
        personas={persona.name: persona.id for persona in inputs.personas},
        **({"provisional": [name for name, _ in inputs.provisional]} if inputs.provisional else {}),
    )


def changed_reviewers(earlier: Sequence[str], settings: str) -> tuple[str, ...]:
    """The reviewers whose file or standing has changed since a campaign that was the same else; none where it goes on.

    Reviewers are frozen for a campaign: a running one keeps what it has read, and the next run with another file is another.
    """
    if settings in earlier:
        return ()
    now = json.loads(settings)
    changed: dict[str, None] = {}
    for before in map(json.loads, earlier):
        if {**before, "personas": {}, "provisional": []} == {**now, "personas": {}, "provisional": []}:
            names = before["personas"].keys() | now["personas"].keys()
            moved = [name for name in names if before["personas"].get(name) != now["personas"].get(name)]
            moved += set(before.get("provisional", ())) ^ set(now.get("provisional", ()))
            changed.update(dict.fromkeys(sorted(moved)))
    return tuple(changed)


def sandbox_of(config: Config, suite: Suite, progress: Progress, stack: ExitStack) -> DockerSandbox:
    """The sandbox, its images made; closed with the stack."""
    run = f"{os.getpid()}-{int(time.time())}"
    sandbox = DockerSandbox(suite=suite, run_id=run, state=config.output.state, jobs=config.jobs)
    stack.callback(sandbox.close)
    sandbox.prepare(progress.note)
    return sandbox


def _self_test(inputs: Inputs, sandbox: DockerSandbox, bench: Bench, progress: Progress) -> None:
    """Once per suite, base image and state folder: one reference per project must pass here too, before anything is spent."""
    config, base = inputs.config, sandbox.base
    done = config.output.state / "self-test" / f"{inputs.suite.hash[:32]}-{base.id[-12:] if base else ''}"
    if done.exists():
        return
    progress.note("self-test: the reference solution of one task per project, in this machine's sandbox")
    first = {task.project: task for task in reversed(inputs.suite.tasks)}
    admitted = Admissions(sandbox, bench.stylist, LocalExecutor(config.jobs)).run(first.values(), quick=True)
    failed = [one for one in admitted if not one.admitted]
    if failed:
        raise SuiteError(
            f"self-test: {failed[0].task} does not pass on this machine: {failed[0].reasons[0]}; see harness suite check"
        )
    done.parent.mkdir(parents=True, exist_ok=True)
    done.touch()


def _campaign_row(inputs: Inputs, ledger: CampaignLedger, settings: str) -> CampaignRow:
    packages = ("coding-skill-harness", "anthropic", "docker")
    return CampaignRow(
        key=ledger.campaign,
        settings=settings,
        skill=inputs.skill.name,
        suite=inputs.suite.id,
        suite_hash=inputs.suite.hash,
        holdout_hash=inputs.suite.holdout_hash,
        rehearsal=inputs.config.is_rehearsal,
        private=inputs.suite.private,
        versions={name: version(name) for name in packages} | dict(inputs.suite.tools),
        persona_blobs={persona.name: ledger.put_blob(persona.content) for persona in inputs.personas},
    )


def _bench(inputs: Inputs, sandbox: DockerSandbox, model: Model, panel: Panel) -> Bench:
    config = inputs.config
    return Bench(
        suite=inputs.suite,
        agent=_agent(config, model),
        sandbox=sandbox,
        stylist=StyleInstrument(inputs.suite),
        panel=panel,
        limits=Limits(
            seconds=config.agent.seconds,
            idle_seconds=config.agent.idle_seconds,
            calls=config.agent.calls,
            tokens=config.agent.tokens,
            usd=None if config.is_rehearsal else config.agent.trial_usd,
        ),
        deliver=lambda variant: deliver(variant, config.agent.delivery),
        flags=flags_of,
    )


def _agent(config: Config, model: Model) -> Agent:
    match config.agent.kind:
        case "tool_loop":
            return ToolLoop(model, config.model.id)
        case "command":
            return CommandAgent(config.agent.command)
        case "reference":
            return ReferenceAgent()
        case "idle":
            return IdleAgent()


def reviewer_model(config: Config, persona: Persona) -> str:
    """Who answers for a persona."""
    return REHEARSAL if config.is_rehearsal else config.model.reviewer or persona.model


def _panel(inputs: Inputs, services: Services, out: Mapping[str, str]) -> Panel:
    config = inputs.config
    model_id = REHEARSAL if config.is_rehearsal else config.model.reviewer
    rule, rules, wait = config.gates.review.rule, judge_rules(inputs.suite), config.gates.review.batch
    live = ReviewPanel(inputs.personas, services.live, model_id, rule=rule, rules=rules, out=out)
    batched = ReviewPanel(inputs.personas, services.batched, model_id, rule=rule, rules=rules, out=out, side_by_side=wait)
    return StagedPanel(live, batched, batched_stages(config.decision.looks))


def provisional_seats(config: Config, personas: Sequence[Persona]) -> dict[str, str]:
    """Reviewers without a veto, and why. In a rehearsal their rates are set and known, so that only measured ones count there.

    Raises:
        PersonaError: a reviewer was found to obey changes that ask for approval.
    """
    path = config.output.state / FOLDER / "ledger.db"
    latest: dict[tuple[str, str], Calibration] = {}
    if path.is_file():
        with Store.read(path) as store:
            latest = Records(store.campaign(NAME)).latest()
    wanted = [one for one in personas if not config.is_rehearsal or (one.name, REHEARSAL) in latest]
    found = standings(wanted, lambda one: reviewer_model(config, one), latest, _now())
    lost = [f"{name}: {one.reason}" for name, one in found.items() if one.standing is Standing.OUT]
    if lost:
        raise PersonaError(f"reviewer {lost[0]}, so it may not sit; change its model or its file, and calibrate it again")
    return {name: one.reason for name, one in found.items() if one.standing is Standing.PROVISIONAL}


def _canaries(inputs: Inputs, session: Session, model: Model) -> dict[str, str]:
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
    rules = judge_rules(suite)
    executor = LocalExecutor(max(config.jobs, CANARY_QUESTIONS * len(inputs.personas)))
    watch = watched(
        inputs.personas,
        pool,
        lambda one: ReviewPanel((one,), model, reviewer_model(config, one), rules=rules),
        name,
        lambda work, items: executor.map(work, items, lambda: None),
    )
    calls = [call for answer in watch.answers for call in answer.calls]
    for call in calls:
        session.budget.book(0.0, call.cost_usd)
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


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, kw_only=True)
class Services:
    """The model's service: answers at once, and answers in batches (the same where batches are not asked for)."""

    live: Model
    batched: Model

    def metered(self, budget: Budget) -> Services:
        """The same, booked into a budget as calls come."""
        return Services(live=Metered(self.live, budget), batched=Metered(self.batched, budget))


def started(config: Config, personas: Sequence[Persona], prices: Prices, stack: ExitStack) -> Services:
    """The model's service, or the rehearsal, started; ended with the stack."""
    key, url, announce = os.environ.get("ANTHROPIC_API_KEY", ""), None, _nobody
    if config.is_rehearsal:
        table = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="harness-rehearsal-"))) / "tags.jsonl"
        settings = _rehearsal_settings(config, personas)
        service = Rehearsal.start(suite=config.suite.path, table=table, seed=config.seed, settings=settings)
        stack.callback(service.stop)
        key, url, announce = REHEARSAL, service.base_url, service.announce
    live = AnthropicModel(api_key=key, base_url=url, announce=announce, prices=prices)
    if not config.gates.review.batch:
        return Services(live=live, batched=live)
    config.output.state.mkdir(parents=True, exist_ok=True)
    # A rehearsal's batches end with its service, so that its notes are of no use to the next one.
    notes = Path(stack.enter_context(tempfile.TemporaryDirectory())) if config.is_rehearsal else config.output.state
    waiting = Waiting(linger=0.2, first=0.1, longest=1.0) if config.is_rehearsal else WAITING
    batched = BatchModel(
        api_key=key, base_url=url, announce=announce, prices=prices, notes=notes / "batches.jsonl", waiting=waiting
    )
    stack.callback(batched.close)
    return Services(live=live, batched=batched)


def _rehearsal_settings(config: Config, personas: Sequence[Persona]) -> Settings:
    chosen = config.rehearsal.model_dump()
    errors = ReviewerErrors.model_validate({name: chosen[name] for name in ReviewerErrors.model_fields})
    faults = Faults.model_validate(
        {name: chosen[name] for name in ("refused", "cut_off", "malformed")} | {"roles": ("reviewer",)}
    )
    return Settings(reviewers={persona.name: errors for persona in personas}, faults=(faults,))


def _nobody(tag: str, role: str, subject: str, task: str) -> None:
    """With the real service nobody is told who stands behind a tag."""


_: Announce = _nobody


def prices_of(config: Config) -> Prices:
    """What calls cost."""
    return FREE if config.is_rehearsal else list_prices()


def check_models(config: Config, personas: Sequence[Persona], prices: Prices, *, agent: bool = True) -> None:
    """Check key and models; without `agent` the reviewers' alone.

    Raises:
        KeyMissingError: a live model without a key.
        ConfigError: a model without a price, or the agent's own model among the reviewers.
    """
    if config.is_rehearsal:
        return
    if not os.environ.get("ANTHROPIC_API_KEY"):
        raise KeyMissingError(
            f"model {config.model.id} needs a key: set ANTHROPIC_API_KEY, or use --model rehearsal (no key, no cost)"
        )
    used = {*([config.model.id] if agent else []), *(config.model.reviewer or persona.model for persona in personas)}
    unknown = sorted(model for model in used if not prices.knows(model))
    if unknown and config.budget.max_usd is not None:
        known = ", ".join(sorted(prices.tiers))
        raise ConfigError(f"model {unknown[0]!r} has no known price, so --max-usd cannot be kept; known: {known}")
    if unknown:
        raise ConfigError(f"model {unknown[0]!r} is unknown; known: {', '.join(sorted(prices.tiers))}, rehearsal")
    own = [persona.name for persona in personas if (config.model.reviewer or persona.model) == config.model.id]
    if agent and own and not config.model.allow_self_review:
        raise ConfigError(
            f"reviewer {own[0]} would use the agent's own model {config.model.id}; set [model] reviewer to another one, "
            "or allow_self_review = true, which is shown on the page"
        )


def _check_holdout(config: Config, suite: Suite) -> None:
    count = len(suite.split(Split.HOLDOUT))
    if not count or not suite.split(Split.DEV):
        missing = "holdout" if not count else "dev"
        raise InputError(
            f"{config.suite.path}: no {missing} tasks, so nothing could be {'decided' if not count else 'screened'}; "
            f"mark some tasks split = {missing!r} in their task.toml"
        )
    if count < FEWEST_HOLDOUT and config.decision.small_holdout != CONSENT:
        raise InputError(
            f"{config.suite.path}: {count} holdout tasks are too few to promote unattended ({FEWEST_HOLDOUT} at least); "
            f"add tasks, or write small_holdout = {CONSENT!r} under [decision]"
        )


def _check_delivery(config: Config, skill: Skill, suite: Suite) -> None:
    delivered = deliver(Variant(skill=skill), config.agent.delivery)
    for task in suite.tasks:
        found = collisions(delivered, task.base)
        if found:
            raise ConfigError(
                f"task {task.id} has a {found[0]} of its own, which delivery {config.agent.delivery!r} would replace or hide; "
                "choose another delivery"
            )
