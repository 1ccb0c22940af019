"""The model's service for one run, live or the rehearsal: our client of it, batches, and the relay for programs in containers."""

from __future__ import annotations

import os
import tempfile
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from harness.budget import Budget, Generations, Metered
from harness.config import REHEARSAL, Config
from harness.errors import ServiceUnavailableError
from harness.models.anthropic_api import AnthropicModel, Patience
from harness.models.anthropic_batches import BatchModel, Waiting
from harness.models.rehearsal.service import Rehearsal
from harness.models.rehearsal.settings import Faults, ReviewerErrors, Settings
from harness.models.relay.server import Relay, Upstream
from harness.ports import TrialEndedError
from harness.wiring.inputs import Inputs, prices_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.models.prices import Prices
    from harness.ports import Announce, Model
    from harness.review.personas import Persona
    from harness.rollout import Usage


PUBLIC_SERVICE = "https://api.anthropic.com"


@dataclass(frozen=True, kw_only=True)
class Service:
    """The model's service for one run: our client of it, and the way that programs in containers have to it.

    `batched` answers in batches; it is `model` where batches are not asked for.
    """

    model: Model
    batched: Model
    upstream: Upstream
    announce: Announce

    def metered(self, budgets: Sequence[Budget], prices: Prices, generations: Generations) -> Service:
        """The same, reserved in budgets before each call and booked after it."""

        def in_a_batch(model: str, usage: Usage) -> float | None:
            whole = prices.cost(model, usage)
            return None if whole is None else whole * prices.batch

        batched = Metered(self.batched, budgets, prices.cost if self.batched is self.model else in_a_batch, generations)
        return replace(self, model=Metered(self.model, budgets, prices.cost, generations), batched=batched)


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
    patience = Patience(total=config.model.seconds)
    model = AnthropicModel(api_key=key, base_url=where, announce=announce, prices=prices, patience=patience)
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
    waiting = Waiting(notes=notes / "batches.jsonl")
    if config.is_rehearsal:
        waiting = replace(waiting, linger=0.2, first=0.1, longest=1.0)
    key, where = service
    made = BatchModel(api_key=key, base_url=where, announce=announce, prices=prices, waiting=waiting)
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
