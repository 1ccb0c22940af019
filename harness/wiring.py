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
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from harness.agents.claude_cli import INSIDE, find_cli
from harness.agents.claude_code import ClaudeCode
from harness.agents.command import CommandAgent
from harness.agents.idle import IdleAgent
from harness.agents.reference import ReferenceAgent
from harness.agents.tool_loop import ToolLoop
from harness.audit.message import message_of
from harness.branches import Branch, Commit, branch_for, commit_skill, refuse_checked_out
from harness.budget import Amount, Budget, BudgetedProposer, Limit, Metered, amount
from harness.campaign import Campaign
from harness.config import REHEARSAL, Config, campaign_id, campaign_settings
from harness.decision.rules import Rules, Saturated
from harness.delivery import collisions, deliver
from harness.errors import ConfigError, InputError, KeyMissingError, PersonaError, ServiceUnavailableError, SuiteError
from harness.evaluate import Bench, Evaluator
from harness.executors.local import LocalExecutor
from harness.flags import flags_of
from harness.leak import LeakIndex
from harness.ledger.history import read_history
from harness.ledger.rows import call_rows
from harness.ledger.schema import CallRow, CampaignRow, EventRow
from harness.ledger.store import Store
from harness.models.anthropic_api import AnthropicModel
from harness.models.anthropic_batches import WAITING, BatchModel, Waiting
from harness.models.prices import FREE, list_prices
from harness.models.rehearsal.rates import truth
from harness.models.rehearsal.service import Rehearsal
from harness.models.rehearsal.settings import Faults, ReviewerErrors, Settings
from harness.models.relay.server import Relay, Upstream
from harness.ports import Growth, Limits, Mounted, TrialEndedError
from harness.proposers.model_edit import MAX_TOKENS, ModelProposer
from harness.proposers.shown import MAX_ALL
from harness.publish import publish
from harness.review.calibration import Standing
from harness.review.canaries import watched
from harness.review.desk import standings
from harness.review.panel import ReviewPanel, StagedPanel, batched_stages
from harness.review.personas import load_personas
from harness.review.planted import broken, good, planted
from harness.review.records import FOLDER, NAME, Records
from harness.review.verdict import quorate
from harness.sandbox.base_image import base_image, has_base
from harness.sandbox.docker_sandbox import DockerSandbox
from harness.sandbox.docker_sandbox import Settings as SandboxSettings
from harness.sandbox.engine import connect
from harness.sandbox.images import ENVIRONMENT, environment_tag, remove_unused
from harness.skill import Variant
from harness.skill_io import read_skill
from harness.spending import most
from harness.style.measure import StyleInstrument, judge_rules, pack_commands
from harness.suites.admit import Admissions, admitted_tasks, dropped_rules, require_admitted
from harness.suites.catalog import load_suite
from harness.suites.reserve import with_reserve
from harness.task import Split

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from docker import APIClient

    from harness.agents.claude_cli import Cli
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
LAUNCHER = (f"{ENVIRONMENT}/bin/python", "-I", "-m", "harness_inside.forward")
PUBLIC_SERVICE = "https://api.anthropic.com"
CONSENT = "I accept unattended promotion on few tasks"


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """Everything read from disk, checked; nothing is started."""

    config: Config
    suite: Suite
    skill: Skill
    personas: tuple[Persona, ...]
    prices: Prices
    dropped: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    provisional: tuple[tuple[str, str], ...] = ()  # reviewers without a veto until they are calibrated, and why
    cli: Cli | None = None


@dataclass(frozen=True, kw_only=True)
class Service:
    """The model's service for one run: our client of it, and the way that programs in containers have to it.

    `batched` answers in batches; it is `model` where batches are not asked for.
    """

    model: Model
    batched: Model
    upstream: Upstream
    announce: Announce

    def metered(self, budget: Budget) -> Service:
        """The same, booked into a budget as calls come."""
        return replace(self, model=Metered(self.model, budget), batched=Metered(self.batched, budget))


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
            proposer=BudgetedProposer(ModelProposer(self.model, model_id), self.budget, self._most_of_a_proposal()),
            progress=self.progress,
            shuffle=Order(config.seed),
            leaks=lambda changed: index.refusal("\n".join(file.text for _, file in changed.tree)),
            truth=lambda changed: known_truth(self.inputs, changed),
            publish=lambda variant: publish_variant(config, self.store, self.ledger.campaign, variant),
            batch=config.proposer.batch,
            memory=config.proposer.memory == "ledger",
            options=config.decision.options,
            approve=config.output.approve == "person",
            keep_back=self.budget.keep_back,
            growth=Growth(generation=config.proposer.growth_tokens, total=config.proposer.size_tokens),
        )
        campaign.start(skill)
        return campaign

    def _most_of_a_proposal(self) -> Amount:
        usd = most(self.inputs.prices.cost, self.inputs.config.model.id, MAX_ALL, MAX_TOKENS)
        return Amount(usd=usd, tokens=MAX_TOKENS, calls=1)


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
    if branch := branch_of(config):
        refuse_checked_out(branch)
    suite = read_suite(config)
    personas = load_personas(config.gates.review.reviewers)
    prices = prices_of(config)
    check_models(config, personas, prices)
    if config.agent.kind == "command" and not config.agent.command:
        raise ConfigError("--agent command needs --command '...': the shell command that works on a task")
    cli = find_cli(config.agent.cli) if config.agent.kind == "claude_code" else None
    if holdout:
        _check_holdout(config, suite)
        for folder in suite_folders(config):
            require_admitted(folder, load_suite(folder))
    _check_delivery(config, skill, suite)
    provisional = provisional_seats(config, personas)
    return Inputs(
        config=config,
        suite=suite,
        skill=skill,
        personas=tuple(replace(persona, veto=persona.veto and persona.name not in provisional) for persona in personas),
        prices=prices,
        dropped={task: rules for folder in suite_folders(config) for task, rules in dropped_rules(folder).items()},
        provisional=tuple(sorted(provisional.items())),
        cli=cli,
    )


def branch_of(config: Config) -> Branch | None:
    """The branch that promotions are committed to, if the configuration wants one.

    Raises:
        ConfigError: it cannot be used.
    """
    if config.output.strategy != "branches":
        return None
    path = config.skill.path
    return branch_for(path, config.output.tag or (path.parent.resolve() if path.is_file() else path.resolve()).name)


def publish_variant(config: Config, store: Store, campaign: str, variant: Variant) -> None:
    """Write the baseline's files below the state folder, and with a branch also its commit; safe to repeat.

    Raises:
        ConfigError: the branch cannot be used.
        ReportError: git refused; the ledger is complete.
    """
    publish(config.output.state, variant)
    branch, history = branch_of(config), read_history(store, campaign)
    if branch is None or not history.promotions:
        return
    said = message_of(store, history, history.promotions[-1])
    commit_skill(branch, variant.skill, Commit(message=said.text, key=said.key, head=said.head, time=said.time))


def read_suite(config: Config) -> Suite:
    """The configured suite, with the tasks of its reserve.

    Raises:
        SuiteError: one of the two is not valid, or they do not go together.
    """
    suite, *reserves = (load_suite(folder) for folder in suite_folders(config))
    for reserve in reserves:
        suite = with_reserve(suite, reserve)
    return suite


def suite_folders(config: Config) -> tuple[Path, ...]:
    """Where the configured suite stands, and its reserve if there is one."""
    return (config.suite.path, config.suite.reserve) if config.suite.reserve else (config.suite.path,)


def rules_of(config: Config) -> Rules:
    """The decision's rules as configured.

    Raises:
        ConfigError: alpha, looks or margin out of range.
    """
    chosen = config.decision
    return Rules(alpha=chosen.alpha, looks=chosen.looks, saturated=Saturated(chosen.saturated), margin=chosen.margin)


def known_truth(inputs: Inputs, skill: Skill) -> Rates | None:
    """The rehearsal's known rates of a skill on holdout; None with a live model, or an agent that it does not play."""
    if not inputs.config.is_rehearsal or inputs.config.agent.kind not in {"tool_loop", "claude_code"}:
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
        sandbox = sandbox_of(config, inputs.suite, progress, stack, inputs.cli)
        store = stack.enter_context(Store.open(state / "ledger.db", lambda: datetime.now(UTC)))
        ledger = store.campaign(campaign_id(settings))
        for changed in changed_reviewers([row.settings for row in ledger.everywhere(CampaignRow)], settings):
            progress.note(
                f"reviewer {changed} is not the one of an earlier campaign with these settings: this is another campaign"
            )
        ledger.add(_campaign_row(inputs, ledger, settings))
        service = model_service(config, inputs.personas, inputs.prices, stack)
        reviewers = Budget((Limit(name="reviewers", usd=config.budget.reviewer_usd),), max_hours=None, clock=time.monotonic)
        reviewing = service.metered(reviewers)
        bench = _bench(inputs, sandbox, service.model, _panel(inputs, reviewing, {}), model_relay(inputs, service, stack))
        _self_test(inputs, sandbox, bench, progress)
        limits = _limits(config, store, ledger)
        budget = Budget(limits, max_hours=config.budget.max_hours, clock=time.monotonic, part=reviewers)
        session = Session(
            inputs=inputs,
            store=store,
            ledger=ledger,
            bench=bench,
            evaluator=Evaluator(bench, ledger, LocalExecutor(config.jobs), budget, progress),
            budget=budget,
            model=service.model,
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


def prune_images(config: Config) -> tuple[str, ...]:
    """Remove the environment images that the configured suite's next run would not use; the removed tags.

    One in use by a container stays.

    Raises:
        SuiteError: the suite is not valid.
        DockerUnavailableError: the engine cannot be used.
    """
    suite, client = read_suite(config), connect()
    return remove_unused(client, suite_images(client, suite)) if has_base(client) else ()


def suite_images(client: APIClient, suite: Suite) -> frozenset[str]:
    """The tags of the environment images that a suite's tasks use on this machine's base image, built or not."""
    base = base_image(client, "", lambda _: None)
    tools = tuple(f"{name}=={version}" for name, version in suite.tools)
    return frozenset(environment_tag(base.id, (*tools, *task.requirements)) for task in suite.tasks)


@contextmanager
def reader(config: Config) -> Iterator[Model]:
    """A model that reads documents, with no suite behind it; the rehearsal's service is stopped on leaving.

    Raises:
        KeyMissingError: a live model without a key.
        ServiceUnavailableError: the rehearsal does not start, or the service fails while it is asked.
    """
    with ExitStack() as stack:
        try:
            yield _started(config, prices_of(config), None, Settings(), stack).model
        except TrialEndedError as error:
            raise ServiceUnavailableError(f"the model's service failed: {error.cause}; nothing was written, try again") from error


def run_budget(config: Config) -> Budget:
    """What this run may spend; a rehearsal costs nothing."""
    limits = config.budget
    run = Limit(name="run", usd=None if config.is_rehearsal else limits.max_usd, tokens=limits.max_tokens, calls=limits.max_calls)
    return Budget((run,), max_hours=limits.max_hours, clock=time.monotonic)


def settings_of(inputs: Inputs, command: str, extra: str = "") -> str:
    """Canonical JSON of all that the campaign's identity covers; rules dropped for a task change its verdicts."""
    dropped = [f"{task}-{rule}" for task, rules in sorted(inputs.dropped.items()) for rule in rules]
    return campaign_settings(
        inputs.config,
        command=command,
        extra=" ".join([extra, *dropped]).strip(),
        harness=version("coding-skill-harness"),
        skill=inputs.skill.id,
        suite=inputs.suite.hash,
        agent=inputs.cli.version if inputs.cli else "",
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


def _limits(config: Config, store: Store, ledger: CampaignLedger) -> list[Limit]:
    """What may be spent, with what the ledger says was spent before. A rehearsal costs no money."""
    budget, month = config.budget, f"{datetime.now(UTC):%Y-%m}"
    calls = [(entry.time, entry.campaign, CallRow.model_validate_json(entry.body)) for entry in store.entries(kind=CallRow.table)]
    campaign = sum(row.cost_usd or 0.0 for _, name, row in calls if name == ledger.campaign)
    this_month = sum(row.cost_usd or 0.0 for time, _, row in calls if time.startswith(month))
    money = not config.is_rehearsal
    return [
        Limit(name="run", usd=budget.max_usd if money else None, tokens=budget.max_tokens, calls=budget.max_calls),
        Limit(name="campaign", usd=budget.campaign_usd if money else None, before=Amount(usd=campaign)),
        Limit(name="month", usd=budget.month_usd if money else None, before=Amount(usd=this_month)),
    ]


def sandbox_of(config: Config, suite: Suite, progress: Progress, stack: ExitStack, cli: Cli | None = None) -> DockerSandbox:
    """The sandbox, its images made; closed with the stack."""
    run = f"{os.getpid()}-{int(time.time())}"
    mounts = (Mounted(source=str(cli.path), target=INSIDE),) if cli else ()
    packages = config.agent.packages if config.agent.kind == "command" else ()
    settings = SandboxSettings(commands=pack_commands(suite), mounts=mounts, packages=packages)
    sandbox = DockerSandbox(suite=suite, run_id=run, state=config.output.state, jobs=config.jobs, settings=settings)
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
        versions={name: version(name) for name in packages} | dict(inputs.suite.tools) | _agent_version(inputs),
        persona_blobs={persona.name: ledger.put_blob(persona.content) for persona in inputs.personas},
    )


def _agent_version(inputs: Inputs) -> dict[str, str]:
    return {"claude-code": inputs.cli.version} if inputs.cli else {}


def _bench(inputs: Inputs, sandbox: DockerSandbox, model: Model, panel: Panel, relay: Relay | None) -> Bench:
    config = inputs.config
    return Bench(
        suite=inputs.suite,
        agent=_agent(inputs, model),
        sandbox=sandbox,
        stylist=StyleInstrument(inputs.suite, inputs.dropped),
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
        relay=relay,
    )


def _agent(inputs: Inputs, model: Model) -> Agent:
    config = inputs.config
    match config.agent.kind:
        case "tool_loop":
            return ToolLoop(model, config.model.id, inputs.prices.cost)
        case "claude_code":
            return ClaudeCode(LAUNCHER, config.model.id, inputs.cli.version if inputs.cli else "unknown")
        case "command":
            return CommandAgent(config.agent.command, LAUNCHER)
        case "reference":
            return ReferenceAgent()
        case "idle":
            return IdleAgent()


def reviewer_model(config: Config, persona: Persona) -> str:
    """Who answers for a persona."""
    return REHEARSAL if config.is_rehearsal else config.model.reviewer or persona.model


def _panel(inputs: Inputs, service: Service, out: Mapping[str, str]) -> Panel:
    config = inputs.config
    model_id = REHEARSAL if config.is_rehearsal else config.model.reviewer
    rule, rules, wait = config.gates.review.rule, judge_rules(inputs.suite), config.gates.review.batch
    live = ReviewPanel(inputs.personas, service.model, model_id, rule=rule, rules=rules, out=out)
    batched = ReviewPanel(inputs.personas, service.batched, model_id, rule=rule, rules=rules, out=out, side_by_side=wait)
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
    session.budget.book(Amount(), amount(calls))
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


def model_service(config: Config, personas: Sequence[Persona], prices: Prices, stack: ExitStack) -> Service:
    """The service that the configuration names, a rehearsal started for its suite; ended with the stack.

    Raises:
        UnavailableError: no key, or the rehearsal does not start.
    """
    return _started(config, prices, config.suite.path, _rehearsal_settings(config, personas), stack)


def _started(config: Config, prices: Prices, suite: Path | None, settings: Settings, stack: ExitStack) -> Service:
    key, where, announce = os.environ.get("ANTHROPIC_API_KEY", ""), None, _nobody
    if config.is_rehearsal:
        table = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="harness-rehearsal-"))) / "tags.jsonl"
        reserve = config.suite.reserve if suite else None
        started = Rehearsal.start(suite=suite, table=table, seed=config.seed, settings=settings, reserve=reserve)
        stack.callback(started.stop)
        key, where, announce = REHEARSAL, started.base_url, started.announce
    model = AnthropicModel(api_key=key, base_url=where, announce=announce, prices=prices)
    return Service(
        model=model,
        batched=_batches(config, (key, where), announce, prices, stack) if config.gates.review.batch and suite else model,
        upstream=Upstream(
            api_key=key,
            base_url=where or os.environ.get("ANTHROPIC_BASE_URL") or PUBLIC_SERVICE,
            models=frozenset({config.model.id}),
        ),
        announce=announce,
    )


def _batches(config: Config, service: tuple[str, str | None], announce: Announce, prices: Prices, stack: ExitStack) -> BatchModel:
    """A model that answers in batches. A rehearsal's end with its service, so that its notes are of no use to the next one."""
    config.output.state.mkdir(parents=True, exist_ok=True)
    notes = Path(stack.enter_context(tempfile.TemporaryDirectory())) if config.is_rehearsal else config.output.state
    waiting = Waiting(linger=0.2, first=0.1, longest=1.0) if config.is_rehearsal else WAITING
    key, where = service
    made = BatchModel(
        api_key=key, base_url=where, announce=announce, prices=prices, notes=notes / "batches.jsonl", waiting=waiting
    )
    stack.callback(made.close)
    return made


def _rehearsal_settings(config: Config, personas: Sequence[Persona]) -> Settings:
    chosen = config.rehearsal.model_dump()
    errors = ReviewerErrors.model_validate({name: chosen[name] for name in ReviewerErrors.model_fields})
    faults = Faults.model_validate(
        {name: chosen[name] for name in ("refused", "cut_off", "malformed")} | {"roles": ("reviewer",)}
    )
    return Settings(reviewers={persona.name: errors for persona in personas}, faults=(faults,))


def model_relay(inputs: Inputs, service: Service, stack: ExitStack) -> Relay | None:
    """The way to the model for programs in containers, where the agent is one."""
    agent = inputs.config.agent
    if agent.kind != "claude_code" and not (agent.kind == "command" and agent.relay):
        return None
    relay = Relay(service.upstream, service.announce, inputs.prices.cost)
    stack.callback(relay.close)
    return relay


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
    if unknown and {config.budget.max_usd, config.budget.campaign_usd, config.budget.month_usd} != {None}:
        known = ", ".join(sorted(prices.tiers))
        raise ConfigError(f"model {unknown[0]!r} has no known price, so a limit in dollars cannot be kept; known: {known}")
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
