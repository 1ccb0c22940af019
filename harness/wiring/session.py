"""A running set-up for one campaign: engine, ledger, service, agent, gates and budget."""

from __future__ import annotations

import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import version
from typing import TYPE_CHECKING

from harness.agents.claude_code import ClaudeCode
from harness.agents.command import CommandAgent
from harness.agents.idle import IdleAgent
from harness.agents.reference import ReferenceAgent
from harness.agents.tool_loop import ToolLoop
from harness.budget import AGAIN, Amount, Budget, BudgetedProposer, Generations, Limit
from harness.campaign import Campaign
from harness.config import Config, campaign_id
from harness.delivery import deliver
from harness.errors import SuiteError
from harness.evaluate import Bench, Evaluator, spent_on
from harness.executors.local import LocalExecutor
from harness.flags import flags_of
from harness.leak import LeakIndex, all_words
from harness.ledger.schema import CallRow, CampaignRow
from harness.ledger.store import Store
from harness.ports import Growth, Limits
from harness.proposers.model_edit import MAX_TOKENS, ModelProposer
from harness.proposers.shown import MAX_ALL
from harness.sandbox.images import ENVIRONMENT
from harness.spending import most
from harness.style.measure import StyleInstrument
from harness.suites.admit import Admissions
from harness.wiring.images import sandbox_of
from harness.wiring.inputs import Inputs, Order, changed_reviewers, known_truth, rules_of, settings_of
from harness.wiring.publishing import publish_variant
from harness.wiring.review import panel_of, seats_out
from harness.wiring.service import model_relay, model_service

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.evaluate import Progress
    from harness.ledger.store import CampaignLedger
    from harness.models.relay.server import Relay
    from harness.ports import Agent, Model, Panel
    from harness.sandbox.docker_sandbox import DockerSandbox
    from harness.skill import Skill


LAUNCHER = (f"{ENVIRONMENT}/bin/python", "-I", "-m", "harness_inside.forward")


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
            leaks=lambda variant: index.refusal(all_words(variant)),
            truth=lambda changed: known_truth(self.inputs, changed),
            publish=lambda variant: publish_variant(config, self.store, self.ledger.campaign, variant),
            batch=config.proposer.batch,
            memory=config.proposer.memory == "ledger",
            options=config.decision.options,
            approve=config.output.approve == "person",
            keep_back=self.budget.keep_back,
            plateau=config.proposer.plateau,
            growth=Growth(generation=config.proposer.growth_tokens, total=config.proposer.size_tokens),
        )
        campaign.start(skill)
        return campaign

    def _most_of_a_proposal(self) -> Amount:
        usd = most(self.inputs.prices.cost, self.inputs.config.model.id, MAX_ALL, MAX_TOKENS)
        return Amount(usd=usd, tokens=MAX_TOKENS, calls=1)


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
        budget = Budget(_limits(config, store, ledger), max_hours=config.budget.max_hours, clock=time.monotonic, part=reviewers)
        generations = _generations(config, ledger)
        reviewing = service.metered((reviewers, budget), inputs.prices, generations)
        bench = _bench(inputs, sandbox, service.model, panel_of(inputs, reviewing, {}), model_relay(inputs, service, stack))
        _self_test(inputs, sandbox, bench, progress)
        session = Session(
            inputs=inputs,
            store=store,
            ledger=ledger,
            bench=bench,
            evaluator=Evaluator(bench, ledger, LocalExecutor(config.jobs), budget, progress, generations=generations),
            budget=budget,
            model=service.model,
            progress=progress,
        )
        for name, reason in inputs.provisional:
            progress.note(f"reviewer {name} votes without a veto: {reason}; see harness reviewers calibrate")
        if command != "trial":
            bench = replace(bench, panel=panel_of(inputs, reviewing, seats_out(inputs, session, reviewing.batched)))
            evaluator = Evaluator(bench, ledger, LocalExecutor(config.jobs), budget, progress, generations=generations)
            session = replace(session, bench=bench, evaluator=evaluator)
        yield session


def run_budget(config: Config) -> Budget:
    """What this run may spend; a rehearsal costs nothing."""
    limits = config.budget
    run = Limit(name="run", usd=None if config.is_rehearsal else limits.max_usd, tokens=limits.max_tokens, calls=limits.max_calls)
    return Budget((run,), max_hours=limits.max_hours, clock=time.monotonic)


def _limits(config: Config, store: Store, ledger: CampaignLedger) -> list[Limit]:
    """What may be spent, with what the ledger says was spent before. A rehearsal costs no money."""
    budget, month = config.budget, f"{datetime.now(UTC):%Y-%m}"
    calls = [(entry.time, entry.campaign, CallRow.model_validate_json(entry.body)) for entry in store.entries(kind=CallRow.table)]
    campaign = sum(row.cost_usd or 0.0 for _, name, row in calls if name == ledger.campaign)
    this_month = sum(row.cost_usd or 0.0 for time, _, row in calls if time.startswith(month))
    money = not config.is_rehearsal
    return [
        Limit(name="run", usd=budget.max_usd if money else None, tokens=budget.max_tokens, calls=budget.max_calls),
        Limit(
            name="campaign",
            usd=budget.campaign_usd if money else None,
            before=Amount(usd=campaign),
            then=f"raise [budget] campaign_usd, and {AGAIN}",
        ),
        Limit(
            name="month",
            usd=budget.month_usd if money else None,
            before=Amount(usd=this_month),
            then=f"raise [budget] month_usd or wait for the next month, and {AGAIN}",
        ),
    ]


def _generations(config: Config, ledger: CampaignLedger) -> Generations:
    """What each generation may spend, with what the ledger says it has spent; a rehearsal costs no money."""
    usd = None if config.is_rehearsal else config.budget.generation_usd

    def limit(number: int) -> Limit:
        before = spent_on(number, ledger)
        then = f"raise [budget] generation_usd or generation_calls, and {AGAIN}"
        return Limit(name=f"generation {number}", usd=usd, calls=config.budget.generation_calls, before=before, then=then)

    return Generations(limit)


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
