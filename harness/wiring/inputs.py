"""Everything that a run reads, found and checked before anything is started or spent; and what a campaign's identity covers."""

from __future__ import annotations

import json
import os
import random
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import version
from typing import TYPE_CHECKING

from harness.agents.claude_cli import find_cli
from harness.config import REHEARSAL, Config, campaign_settings
from harness.counted import counted
from harness.decision.rules import Rules, Saturated
from harness.errors import ConfigError, InputError, KeyMissingError, PersonaError
from harness.ledger.store import Store
from harness.models.prices import FREE, list_prices
from harness.models.rehearsal.rates import truth
from harness.review.calibration import Standing
from harness.review.desk import standings
from harness.review.personas import load_personas
from harness.review.records import FOLDER, NAME, Records
from harness.skill_io import read_skill
from harness.suites.admit import dropped_rules, require_admitted
from harness.suites.catalog import load_suite
from harness.suites.reserve import with_reserve
from harness.suites.splitting import FEWEST_HOLDOUT
from harness.task import Split
from harness.wiring.delivered import check_delivery

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from harness.agents.claude_cli import Cli
    from harness.campaign import Rates
    from harness.models.prices import Prices
    from harness.review.calibration import Calibration
    from harness.review.personas import Persona
    from harness.skill import Skill
    from harness.task import Suite


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
    suite = read_suite(config)
    personas = load_personas(config.gates.review.reviewers)
    prices = prices_of(config)
    check_models(config, personas, prices)
    check_limits(config)
    cli = check_agent(config)
    if holdout:
        check_holdout(config, suite)
        for folder in suite_folders(config):
            require_admitted(folder, load_suite(folder))
    check_delivery(config.agent.delivery, skill, suite, cli)
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


def check_agent(config: Config) -> Cli | None:
    """The program of an agent that is one.

    Raises:
        ConfigError: a command agent without its command, or Claude Code is not there.
    """
    if config.agent.kind == "command" and not config.agent.command:
        raise ConfigError("--agent command needs --command '...': the shell command that works on a task")
    return find_cli(config.agent.cli) if config.agent.kind == "claude_code" else None


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
        program=inputs.cli.version if inputs.cli else "",
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


def reviewer_model(config: Config, persona: Persona) -> str:
    """Who answers for a persona."""
    return REHEARSAL if config.is_rehearsal else config.model.reviewer or persona.model


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
    found = standings(wanted, lambda one: reviewer_model(config, one), latest, now_utc())
    lost = [f"{name}: {one.reason}" for name, one in found.items() if one.standing is Standing.OUT]
    if lost:
        raise PersonaError(f"reviewer {lost[0]}, so it may not sit; change its model or its file, and calibrate it again")
    return {name: one.reason for name, one in found.items() if one.standing is Standing.PROVISIONAL}


def now_utc() -> datetime:
    """The time, as ledgers write it."""
    return datetime.now(UTC)


def prices_of(config: Config) -> Prices:
    """What calls cost."""
    return FREE if config.is_rehearsal else list_prices()


def has_key(config: Config) -> bool:
    """Whether there is a key, or none is needed."""
    return config.is_rehearsal or bool(os.environ.get("ANTHROPIC_API_KEY"))


def check_models(config: Config, personas: Sequence[Persona], prices: Prices, *, agent: bool = True) -> None:
    """Check key and models; without `agent` the reviewers' alone.

    Raises:
        KeyMissingError: a live model without a key.
        ConfigError: a model without a price, or the agent's own model among the reviewers.
    """
    if config.is_rehearsal:
        return
    if not has_key(config):
        raise KeyMissingError(
            f"model {config.model.id} needs a key: set ANTHROPIC_API_KEY, or use --model rehearsal (no key, no cost)"
        )
    used = {*([config.model.id] if agent else []), *(config.model.reviewer or persona.model for persona in personas)}
    unknown = sorted(model for model in used if not prices.knows(model))
    limits = config.budget
    if unknown and {limits.max_usd, limits.generation_usd, limits.campaign_usd, limits.month_usd} != {None}:
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


def check_limits(config: Config) -> None:
    """Check that one trial fits into what may be spent: nothing could ever begin otherwise, however often it is started.

    Raises:
        ConfigError: naming both settings.
    """
    trial, budget = config.agent, config.budget
    for name, limit, own, most in (
        ("max_calls", budget.max_calls, "calls", trial.calls),
        ("generation_calls", budget.generation_calls, "calls", trial.calls),
        ("max_tokens", budget.max_tokens, "tokens", trial.tokens),
    ):
        if limit is not None and limit < most:
            raise ConfigError(
                f"[budget] {name} = {limit} is less than one trial may need ([agent] {own} = {most}), so none could begin; "
                "raise the one or lower the other"
            )


def may_evolve(config: Config, suite: Suite) -> bool:
    """Whether `check_holdout` has nothing against the suite."""
    try:
        check_holdout(config, suite)
    except InputError:
        return False
    return True


def check_holdout(config: Config, suite: Suite) -> None:
    """Check that there is something to screen and to decide on.

    Raises:
        InputError: a split is empty, or so small that promoting on it needs words in the configuration.
    """
    count = len(suite.split(Split.HOLDOUT))
    if not count or not suite.split(Split.DEV):
        missing = "holdout" if not count else "dev"
        raise InputError(
            f"{config.suite.path}: no {missing} tasks, so nothing could be {'decided' if not count else 'screened'}; "
            f"mark some tasks split = {missing!r} in their task.toml"
        )
    if count < FEWEST_HOLDOUT and config.decision.small_holdout != CONSENT:
        raise InputError(
            f"{config.suite.path}: {counted(count, 'holdout task is', 'holdout tasks are')} too few to promote unattended "
            f"({FEWEST_HOLDOUT} at least); "
            f"add tasks, or write small_holdout = {CONSENT!r} under [decision]"
        )
