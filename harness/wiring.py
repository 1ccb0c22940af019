"""The composition root: the only module that names concrete adapters, and the only one that knows of the rehearsal.

First everything that can be wrong with the input is found, with nothing started and nothing spent; then services are started,
in the order in which they are cheap to fail.
"""

from __future__ import annotations

import os
import random
import tempfile
import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from harness.agents.command import CommandAgent
from harness.agents.idle import IdleAgent
from harness.agents.reference import ReferenceAgent
from harness.agents.tool_loop import ToolLoop
from harness.budget import Budget
from harness.campaign import Campaign
from harness.config import REHEARSAL, Config, campaign_id, campaign_settings
from harness.decision.rules import Rules, Saturated
from harness.delivery import collisions, deliver
from harness.errors import ConfigError, InputError, KeyMissingError, ServiceUnavailableError, SuiteError
from harness.evaluate import Bench, Evaluator
from harness.executors.local import LocalExecutor
from harness.flags import flags_of
from harness.leak import LeakIndex
from harness.ledger.schema import CampaignRow
from harness.ledger.store import Store
from harness.models.anthropic_api import AnthropicModel
from harness.models.prices import FREE, list_prices
from harness.models.rehearsal.rates import truth
from harness.models.rehearsal.service import Rehearsal
from harness.models.rehearsal.settings import ReviewerErrors, Settings
from harness.ports import Limits, TrialEndedError
from harness.proposers.reflect import ReflectProposer
from harness.publish import publish
from harness.review.panel import ReviewPanel
from harness.review.personas import load_personas
from harness.sandbox.docker_sandbox import DockerSandbox
from harness.sandbox.docker_sandbox import Settings as SandboxSettings
from harness.skill import Variant
from harness.skill_io import read_skill
from harness.style.measure import StyleInstrument, judge_rules, pack_commands
from harness.suites.admit import Admissions, dropped_rules, require_admitted
from harness.suites.catalog import load_suite
from harness.task import Split

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from harness.campaign import Rates
    from harness.evaluate import Progress
    from harness.ledger.store import CampaignLedger
    from harness.models.prices import Prices
    from harness.ports import Agent, Announce, Model
    from harness.review.personas import Persona
    from harness.skill import Skill
    from harness.task import Suite

FEWEST_HOLDOUT = 20  # decision.md, stage 0: under this, unattended promotion needs words in the configuration
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
    prices = FREE if config.is_rehearsal else list_prices()
    _check_model(config, personas, prices)
    if config.agent.kind == "command" and not config.agent.command:
        raise ConfigError("--agent command needs --command '...': the shell command that works on a task")
    if holdout:
        _check_holdout(config, suite)
        require_admitted(config.suite.path, suite)
    _check_delivery(config, skill, suite)
    dropped = dropped_rules(config.suite.path)
    return Inputs(config=config, suite=suite, skill=skill, personas=personas, prices=prices, dropped=dropped)


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
        sandbox = _sandbox(config, inputs.suite, progress, stack)
        store = stack.enter_context(Store.open(state / "ledger.db", lambda: datetime.now(UTC)))
        ledger = store.campaign(campaign_id(settings))
        ledger.add(_campaign_row(inputs, ledger, settings))
        model = _model(inputs, stack)
        bench = _bench(inputs, sandbox, model)
        _self_test(inputs, sandbox, bench, progress)
        limits = config.budget
        usd = None if config.is_rehearsal else limits.max_usd
        budget = Budget(max_usd=usd, max_hours=limits.max_hours, clock=time.monotonic)
        evaluator = Evaluator(bench, ledger, LocalExecutor(config.jobs), budget, progress)
        yield Session(
            inputs=inputs,
            store=store,
            ledger=ledger,
            bench=bench,
            evaluator=evaluator,
            budget=budget,
            model=model,
            progress=progress,
        )


@contextmanager
def admissions(config: Config, suite: Suite, progress: Progress) -> Iterator[Admissions]:
    """What admits tasks; the engine's side is ended on leaving.

    Raises:
        DockerUnavailableError: the engine cannot be used.
    """
    with ExitStack() as stack:
        sandbox = _sandbox(config, suite, progress, stack)
        yield Admissions(sandbox, StyleInstrument(suite), LocalExecutor(config.jobs))


@contextmanager
def reader(config: Config) -> Iterator[Model]:
    """A model that reads documents, with no suite behind it; the rehearsal's service is stopped on leaving.

    Raises:
        KeyMissingError: a live model without a key.
        ServiceUnavailableError: the rehearsal does not start, or the service fails while it is asked.
    """
    prices = FREE if config.is_rehearsal else list_prices()
    with ExitStack() as stack:
        try:
            yield _service(config, prices, None, Settings(), stack)
        except TrialEndedError as error:
            raise ServiceUnavailableError(f"the model's service failed: {error.cause}; nothing was written, try again") from error


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
        personas={persona.name: persona.id for persona in inputs.personas},
    )


def _sandbox(config: Config, suite: Suite, progress: Progress, stack: ExitStack) -> DockerSandbox:
    run = f"{os.getpid()}-{int(time.time())}"
    settings = SandboxSettings(commands=pack_commands(suite))
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
        versions={name: version(name) for name in packages} | dict(inputs.suite.tools),
        persona_blobs={persona.name: ledger.put_blob(persona.content) for persona in inputs.personas},
    )


def _bench(inputs: Inputs, sandbox: DockerSandbox, model: Model) -> Bench:
    config = inputs.config
    return Bench(
        suite=inputs.suite,
        agent=_agent(config, model),
        sandbox=sandbox,
        stylist=StyleInstrument(inputs.suite, inputs.dropped),
        panel=ReviewPanel(
            inputs.personas,
            model,
            _reviewer_model(config),
            rule=config.gates.review.rule,
            rules=judge_rules(inputs.suite),
        ),
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


def _reviewer_model(config: Config) -> str:
    return REHEARSAL if config.is_rehearsal else config.model.reviewer


def _model(inputs: Inputs, stack: ExitStack) -> Model:
    errors = ReviewerErrors(tpr=inputs.config.rehearsal.tpr, tnr=inputs.config.rehearsal.tnr)
    settings = Settings(reviewers={persona.name: errors for persona in inputs.personas})
    return _service(inputs.config, inputs.prices, inputs.config.suite.path, settings, stack)


def _service(config: Config, prices: Prices, suite: Path | None, settings: Settings, stack: ExitStack) -> Model:
    if not config.is_rehearsal:
        return AnthropicModel(api_key=os.environ.get("ANTHROPIC_API_KEY", ""), base_url=None, announce=_nobody, prices=prices)
    table = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="harness-rehearsal-"))) / "tags.jsonl"
    service = Rehearsal.start(suite=suite, table=table, seed=config.seed, settings=settings)
    stack.callback(service.stop)
    return AnthropicModel(api_key=REHEARSAL, base_url=service.base_url, announce=service.announce, prices=prices)


def _nobody(tag: str, role: str, subject: str, task: str) -> None:
    """With the real service nobody is told who stands behind a tag."""


_: Announce = _nobody


def _check_model(config: Config, personas: Sequence[Persona], prices: Prices) -> None:
    if config.is_rehearsal:
        return
    if not os.environ.get("ANTHROPIC_API_KEY"):
        raise KeyMissingError(
            f"model {config.model.id} needs a key: set ANTHROPIC_API_KEY, or use --model rehearsal (no key, no cost)"
        )
    used = {config.model.id, *(config.model.reviewer or persona.model for persona in personas)}
    unknown = sorted(model for model in used if not prices.knows(model))
    if unknown and config.budget.max_usd is not None:
        known = ", ".join(sorted(prices.tiers))
        raise ConfigError(f"model {unknown[0]!r} has no known price, so --max-usd cannot be kept; known: {known}")
    if unknown:
        raise ConfigError(f"model {unknown[0]!r} is unknown; known: {', '.join(sorted(prices.tiers))}, rehearsal")
    own = [persona.name for persona in personas if (config.model.reviewer or persona.model) == config.model.id]
    if own and not config.model.allow_self_review:
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
