"""One cheap call through each path that a campaign uses to a model, and what each did cost."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from harness.ports import Json, ModelRequest, Relay
    from harness.rollout import Call
    from harness.wiring.inputs import Inputs

_QUESTION = "Answer with the single word yes."
_SCHEMA: Json = {
    "type": "object",
    "properties": {"answer": {"type": "string"}},
    "required": ["answer"],
    "additionalProperties": False,
}
_MAX_TOKENS = 64
_SECONDS = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """One path: whether an answer came, and what is told of it."""

    path: str
    well: bool
    told: str


def reached(inputs: Inputs) -> list[Reached]:
    """Ask once through every path.

    Raises:
        UnavailableError: there is no service to ask at all.
    """
    from harness.wiring.service import model_relay, model_service

    with ExitStack() as stack:
        service = model_service(inputs.config, inputs.personas, inputs.prices, stack)
        paths: list[tuple[str, Callable[[], Call | None]]] = [
            (name, lambda request=request: service.model.send(request).call)  # type: ignore[misc]
            for name, request in _requests(inputs)
        ]
        if relay := model_relay(inputs, service, stack):
            paths.append(("relay, as a program in a container", lambda: _through(relay, inputs)))
        return [_asked(name, ask) for name, ask in paths]


def _asked(path: str, ask: Callable[[], Call | None]) -> Reached:
    from harness.errors import HarnessError
    from harness.ports import TrialEndedError

    try:
        call = ask()
    except (HarnessError, TrialEndedError) as error:
        return Reached(path=path, well=False, told=str(error))
    if call is None:
        return Reached(path=path, well=False, told="no answer came")
    cost = "an unknown amount" if call.cost_usd is None else f"${call.cost_usd:.6f}"
    usage = call.usage
    prompt = usage.input + usage.cache_read + usage.cache_write_5m + usage.cache_write_1h
    return Reached(path=path, well=True, told=f"{call.model} answered: {prompt} tokens in, {usage.output} out, {cost}")


def _requests(inputs: Inputs) -> Iterator[tuple[str, ModelRequest]]:
    from harness.config import REHEARSAL
    from harness.ports import ModelRequest

    config = inputs.config
    wanted: list[tuple[str, str, Json]] = [("agent, streamed", config.model.id, None), ("proposer", config.model.id, _SCHEMA)]
    judges = {config.model.reviewer or persona.model for persona in inputs.personas}
    wanted += [("reviewer", model, _SCHEMA) for model in sorted(judges if not config.is_rehearsal else {REHEARSAL})]
    for number, (path, model, schema) in enumerate(wanted):
        yield (
            path,
            ModelRequest(
                role="coder",
                subject=f"doctor/{number}",
                task=inputs.suite.tasks[0].id,
                model=model,
                system=(),
                messages=({"role": "user", "content": _QUESTION},),
                max_tokens=_MAX_TOKENS,
                schema=schema,
            ),
        )


def _through(relay: Relay, inputs: Inputs) -> Call | None:
    """A request over the socket that a container would find; the relay adds the key and books it."""
    import httpx2

    from harness.delivery import deliver
    from harness.models.relay.server import SOCKET
    from harness.ports import Assignment, Limits
    from harness.skill import Variant
    from harness.trial import Arm, Stage, TrialKey

    variant, task = Variant(skill=inputs.skill), inputs.suite.tasks[0]
    key = TrialKey(stage=Stage.ADHOC, confirmation="", arm=Arm.BASELINE, variant=variant.id, task=task.id, repeat=1)
    work = Assignment(key=key, task=task, variant=variant, delivered=deliver(variant, "system"), limits=Limits())
    body = {
        "model": inputs.config.model.id,
        "max_tokens": _MAX_TOKENS,
        "messages": [{"role": "user", "content": _QUESTION}],
        "stream": True,
    }
    headers = {"anthropic-version": "2023-06-01"}
    with relay.open(work) as line:
        transport = httpx2.HTTPTransport(uds=f"{line.mounts[0].source}/{SOCKET}")
        with httpx2.Client(transport=transport, timeout=_SECONDS) as client:
            client.post("http://relay/v1/messages", json=body, headers=headers)
        return next((exchange.call for exchange in line.finish() if exchange.call), None)
