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
from dataclasses import dataclass
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
from harness.budget import Amount, Budget, BudgetedProposer, Limit
from harness.campaign import Campaign
from harness.config import REHEARSAL, Config, campaign_id, campaign_settings
from harness.decision.rules import Rules, Saturated
from harness.delivery import collisions, deliver
from harness.errors import ConfigError, InputError, KeyMissingError, SuiteError
from harness.evaluate import Bench, Evaluator
from harness.executors.local import LocalExecutor
from harness.flags import flags_of
from harness.leak import LeakIndex
from harness.ledger.schema import CallRow, CampaignRow
from harness.ledger.store import Store
from harness.models.anthropic_api import AnthropicModel
from harness.models.prices import FREE, list_prices
from harness.models.rehearsal.rates import truth
from harness.models.rehearsal.service import Rehearsal
from harness.models.rehearsal.settings import ReviewerErrors, Settings
from harness.models.relay.server import Relay, Upstream
from harness.ports import Growth, Limits, Mounted
from harness.proposers.model_edit import MAX_TOKENS, ModelProposer
from harness.proposers.shown import MAX_ALL
from harness.publish import publish
from harness.review.panel import ReviewPanel
from harness.review.personas import load_personas
from harness.sandbox.docker_sandbox import DockerSandbox
from harness.sandbox.docker_sandbox import Settings as SandboxSettings
from harness.sandbox.images import ENVIRONMENT
from harness.skill import Variant
from harness.skill_io import read_skill
from harness.spending import most
from harness.style.measure import StyleInstrument, judge_rules
from harness.suites.admit import Admissions, require_admitted
from harness.suites.catalog import load_suite
from harness.task import Split

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.agents.claude_cli import Cli
    from harness.campaign import Rates
    from harness.evaluate import Progress
    from harness.ledger.store import CampaignLedger
    from harness.models.prices import Prices
    from harness.ports import Agent, Announce, Model
    from harness.review.personas import Persona
    from harness.skill import Skill
    from harness.task import Suite

FEWEST_HOLDOUT = 20  # decision.md, stage 0: under this, unattended promotion needs words in the configuration
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
    cli: Cli | None = None


@dataclass(frozen=True, kw_only=True)
class Service:
    """The model's service for one run: our client of it, and the way that programs in containers have to it."""

    model: Model
    upstream: Upstream
    announce: Announce


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
            publish=lambda variant: publish(config.output.state, variant),
            batch=config.proposer.batch,
            memory=config.proposer.memory == "ledger",
            options=config.decision.options,
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
    suite = load_suite(config.suite.path)
    personas = load_personas(config.gates.review.reviewers)
    prices = FREE if config.is_rehearsal else list_prices()
    _check_model(config, personas, prices)
    if config.agent.kind == "command" and not config.agent.command:
        raise ConfigError("--agent command needs --command '...': the shell command that works on a task")
    cli = find_cli(config.agent.cli) if config.agent.kind == "claude_code" else None
    if holdout:
        _check_holdout(config, suite)
        require_admitted(config.suite.path, suite)
    _check_delivery(config, skill, suite)
    return Inputs(config=config, suite=suite, skill=skill, personas=personas, prices=prices, cli=cli)


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
        sandbox = _sandbox(config, inputs.suite, progress, stack, inputs.cli)
        store = stack.enter_context(Store.open(state / "ledger.db", lambda: datetime.now(UTC)))
        ledger = store.campaign(campaign_id(settings))
        ledger.add(_campaign_row(inputs, ledger, settings))
        service = model_service(inputs, stack)
        bench = _bench(inputs, sandbox, service, model_relay(inputs, service, stack))
        _self_test(inputs, sandbox, bench, progress)
        budget = Budget(_limits(config, store, ledger), max_hours=config.budget.max_hours, clock=time.monotonic)
        evaluator = Evaluator(bench, ledger, LocalExecutor(config.jobs), budget, progress)
        yield Session(
            inputs=inputs,
            store=store,
            ledger=ledger,
            bench=bench,
            evaluator=evaluator,
            budget=budget,
            model=service.model,
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


def settings_of(inputs: Inputs, command: str, extra: str = "") -> str:
    """Canonical JSON of all that the campaign's identity covers."""
    return campaign_settings(
        inputs.config,
        command=command,
        extra=extra,
        harness=version("coding-skill-harness"),
        skill=inputs.skill.id,
        suite=inputs.suite.hash,
        agent=inputs.cli.version if inputs.cli else "",
        personas={persona.name: persona.id for persona in inputs.personas},
    )


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


def _sandbox(config: Config, suite: Suite, progress: Progress, stack: ExitStack, cli: Cli | None = None) -> DockerSandbox:
    run = f"{os.getpid()}-{int(time.time())}"
    mounts = (Mounted(source=str(cli.path), target=INSIDE),) if cli else ()
    packages = config.agent.packages if config.agent.kind == "command" else ()
    settings = SandboxSettings(mounts=mounts, packages=packages)
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


def _bench(inputs: Inputs, sandbox: DockerSandbox, service: Service, relay: Relay | None) -> Bench:
    config = inputs.config
    return Bench(
        suite=inputs.suite,
        agent=_agent(inputs, service.model),
        sandbox=sandbox,
        stylist=StyleInstrument(inputs.suite),
        panel=ReviewPanel(
            inputs.personas,
            service.model,
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


def _reviewer_model(config: Config) -> str:
    return REHEARSAL if config.is_rehearsal else config.model.reviewer


def model_service(inputs: Inputs, stack: ExitStack) -> Service:
    """The service that the configuration names, a rehearsal started; ended with the stack.

    Raises:
        UnavailableError: no key, or the rehearsal does not start.
    """
    config = inputs.config
    if not config.is_rehearsal:
        key, where, announce = os.environ.get("ANTHROPIC_API_KEY", ""), None, _nobody
    else:
        errors = ReviewerErrors(tpr=config.rehearsal.tpr, tnr=config.rehearsal.tnr)
        settings = Settings(reviewers={persona.name: errors for persona in inputs.personas})
        table = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="harness-rehearsal-"))) / "tags.jsonl"
        started = Rehearsal.start(suite=config.suite.path, table=table, seed=config.seed, settings=settings)
        stack.callback(started.stop)
        key, where, announce = REHEARSAL, started.base_url, started.announce
    return Service(
        model=AnthropicModel(api_key=key, base_url=where, announce=announce, prices=inputs.prices),
        upstream=Upstream(
            api_key=key,
            base_url=where or os.environ.get("ANTHROPIC_BASE_URL") or PUBLIC_SERVICE,
            models=frozenset({config.model.id}),
        ),
        announce=announce,
    )


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


def _check_model(config: Config, personas: Sequence[Persona], prices: Prices) -> None:
    if config.is_rehearsal:
        return
    if not os.environ.get("ANTHROPIC_API_KEY"):
        raise KeyMissingError(
            f"model {config.model.id} needs a key: set ANTHROPIC_API_KEY, or use --model rehearsal (no key, no cost)"
        )
    used = {config.model.id, *(config.model.reviewer or persona.model for persona in personas)}
    unknown = sorted(model for model in used if not prices.knows(model))
    if unknown and {config.budget.max_usd, config.budget.campaign_usd, config.budget.month_usd} != {None}:
        known = ", ".join(sorted(prices.tiers))
        raise ConfigError(f"model {unknown[0]!r} has no known price, so a limit in dollars cannot be kept; known: {known}")
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
