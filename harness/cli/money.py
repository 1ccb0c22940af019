"""What a live run will cost, told before it starts, and the agreement to it."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import typer

from harness.cli.show import say
from harness.counted import counted
from harness.errors import ConfigError
from harness.rollout import Usage
from harness.task import Split

if TYPE_CHECKING:
    from harness.reviewing import Reviewing
    from harness.wiring.inputs import Inputs

# One trial of a careful minimal agent with three reviewers, in tokens: a planning figure of ours, replaced by what the
# ledger measured once trials were run.
AGENT = Usage(input=12_000, cache_read=120_000, cache_write_5m=25_000, output=6_000, calls=14)
REVIEW = Usage(input=9_000, cache_read=12_000, cache_write_5m=6_000, output=4_000, calls=5)
DEV_SWEEPS, BLOCK_TRIALS, LOOKS = 4, 20, 4  # preflight's sweeps; trials of a screened variant; looks of a confirmation, typical
CALLS_PER_QUESTION = 1.6  # both views of good changes, one of most bad ones, as measured on the bundled suite

MODEL = "claude-sonnet-5-5"  # what a rehearsal's bill is told in


def live_cost(trials: int) -> str:
    """What so many trials would cost with a real model, in words, by the same planning figures."""
    from harness.models.prices import list_prices

    prices = list_prices()
    return f"about ${trials * sum(prices.cost(MODEL, part) or 0.0 for part in (AGENT, REVIEW)):,.0f} with {MODEL}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """What a command is about to run: how many trials, in words for what, and whether it goes on for as long as money lasts."""

    trials: int
    what: str = ""
    open_ended: bool = False


def batch_of(inputs: Inputs) -> Planned:
    """`evolve`: the baseline's preflight, and one batch with one confirmation, typical; more follow."""
    return Planned(trials=sum(_trials(inputs)), what=" for one batch", open_ended=True)


def comparison_of(inputs: Inputs) -> Planned:
    """`compare`: both arms on holdout, sweep by sweep until one decides."""
    looks, tasks = inputs.config.decision.looks, len(inputs.suite.split(Split.HOLDOUT))
    return Planned(
        trials=2 * looks * tasks, what=f" at most ({counted(tasks, 'task')} in two arms, up to {counted(looks, 'look')})"
    )


def agreed(inputs: Inputs, planned: Planned, *, yes: bool) -> None:
    """Print the estimate with its basis and have it agreed to; nothing is asked of a rehearsal, which costs nothing.

    Raises:
        ConfigError: not in a terminal, and no limit in dollars was given.
    """
    if inputs.config.is_rehearsal:
        return
    budget = inputs.config.budget
    each = _usd_of_a_trial(inputs)
    usd = None if each is None else planned.trials * each
    cost = "an unknown amount" if usd is None else f"about ${usd:,.0f}"
    limit = "no limit" if budget.max_usd is None else f"never more than ${budget.max_usd:,.2f}"
    say(f"Estimate: {counted(planned.trials, 'trial')}{planned.what}, {cost} with {inputs.config.model.id}; {limit} (--max-usd).")
    say(f"Basis: {AGENT.calls} agent calls and {REVIEW.calls} reviewer calls a trial, list prices of {inputs.prices.dated}.")
    flying = inputs.config.jobs * inputs.config.agent.trial_usd
    say(
        f"On their way at once: {counted(inputs.config.jobs, 'trial')}, for which up to ${flying:,.2f} are reserved "
        "of what is left."
    )
    if planned.open_ended and budget.max_usd is not None and usd is not None:
        count = payable(inputs, budget.max_usd)
        say(
            f"That limit pays for about {counted(count, 'variant')}."
            if count
            else "That limit does not pay for one variant: give more."
        )
    _agreed_to(budget.max_usd, yes=yes)


def agreed_questions(reviewing: Reviewing, questions: int, *, yes: bool) -> None:
    """The same for so many questions to reviewers.

    Raises:
        ConfigError: not in a terminal, and no limit in dollars was given.
    """
    config, prices = reviewing.config, reviewing.prices
    if config.is_rehearsal:
        return
    each = prices.cost(config.model.reviewer or reviewing.personas[0].model, REVIEW)
    share = prices.batch if config.gates.review.batch else 1.0
    calls = questions * CALLS_PER_QUESTION
    cost = "an unknown amount" if each is None else f"about ${calls * each / REVIEW.calls * share:,.2f}"
    limit = "no limit" if config.budget.max_usd is None else f"never more than ${config.budget.max_usd:,.2f}"
    say(
        f"Estimate: {counted(questions, 'question')}, about {calls:.0f} calls, {cost}; {limit} (--max-usd). "
        f"List prices of {prices.dated}."
    )
    _agreed_to(config.budget.max_usd, yes=yes)


def _agreed_to(max_usd: float | None, *, yes: bool) -> None:
    if max_usd is None and not sys.stdin.isatty():
        raise ConfigError("a live model outside a terminal needs --max-usd, the most that this run may cost")
    if not yes and sys.stdin.isatty():
        typer.confirm("Start?", abort=True)


def payable(inputs: Inputs, usd: float) -> int:
    """About how many variants so much money pays for, with a confirmation a batch; 0 also where a price is unknown."""
    before, batch = _trials(inputs)
    each = _usd_of_a_trial(inputs)
    size = inputs.config.proposer.batch
    return max(0, int((usd / each - before) * size / batch)) if each else 0


def _trials(inputs: Inputs) -> tuple[int, int]:
    """Trials of the baseline's preflight, and of one batch with one confirmation."""
    dev, holdout = (len(inputs.suite.split(split)) for split in (Split.DEV, Split.HOLDOUT))
    return DEV_SWEEPS * dev + holdout, inputs.config.proposer.batch * BLOCK_TRIALS + 2 * LOOKS * holdout


def _usd_of_a_trial(inputs: Inputs) -> float | None:
    reviewer = inputs.config.model.reviewer or inputs.personas[0].model
    parts = (inputs.prices.cost(inputs.config.model.id, AGENT), inputs.prices.cost(reviewer, REVIEW))
    return None if None in parts else sum(part or 0.0 for part in parts)
