"""The model port over the Anthropic SDK: one client for all threads, every call booked before its content is read.

The SDK's own retries are the only ones for answers with an error status. An overload inside a stream that began well never
reaches them, so that case, and only before any content, is asked again here. What a broken stream had used is booked too, and
a try of which nothing was heard until its time was over at the most that it may have used.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from harness.errors import ConfigError, HarnessError, KeyMissingError, ServiceUnavailableError
from harness.models.tag import tag_of
from harness.models.tries import Tries
from harness.models.usage import cache_miss, usage_of
from harness.ports import ModelReply, TrialEndedError
from harness.rollout import Call, Ending

if TYPE_CHECKING:
    from anthropic import Anthropic
    from anthropic.types import Message

    from harness.models.prices import Prices
    from harness.ports import Announce, ModelRequest
    from harness.rollout import Usage

_TRANSIENT = frozenset({408, 409, 429})  # the SDK's own list of statuses worth another try, beside 5xx
_IN_STREAM = frozenset({"overloaded_error", "rate_limit_error", "api_error", "timeout_error"})
_LONGEST_PAUSE = 8.0
_LONGEST_CAUSE = 300  # characters: a proxy's error page is no cause to keep whole
_CERTIFICATE = "CERTIFICATE_VERIFY_FAILED"


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """Seconds without a byte before a try is given up, tries after the first, seconds before the second try (then doubled).

    `total` are the seconds, all tries together, after which a call is given up whose request sets no time of its own: a service
    that goes on sending bytes for ever is never silent.
    """

    timeout: float = 300.0
    retries: int = 4
    pause: float = 0.5
    total: float = 900.0


PATIENT = Patience()


class AnthropicModel:
    """`ports.Model` over the Messages API, at `base_url` or where the SDK's environment variables say."""

    def __init__(
        self, *, api_key: str, base_url: str | None, announce: Announce, prices: Prices, patience: Patience = PATIENT
    ) -> None:
        """Make the client; nothing is sent yet.

        Raises:
            KeyMissingError: if the key is empty.
        """
        if not api_key:
            raise KeyMissingError("no key for the model's service: set ANTHROPIC_API_KEY, or use --model rehearsal")
        import anthropic  # noqa: PLC0415  (a second of imports that `harness --help` does not need)

        self._client = anthropic.Anthropic(
            api_key=api_key,
            base_url=base_url,
            timeout=patience.timeout,
            max_retries=patience.retries,
            open_telemetry=False,
        )
        self._announce = announce
        self._prices = prices
        self._patience = patience

    def send(self, request: ModelRequest) -> ModelReply:
        """One call, streamed; with `request.schema` its output is structured.

        Raises:
            TrialEndedError: MISSING_API when the service fails after all tries, or has not answered in the client's patience;
                AGENT_BUDGET when the conversation has become too long for the model; AGENT_TIMEOUT when `request.seconds` are
                over.
            KeyMissingError: the key is refused.
            ConfigError: the model does not exist.
            ServiceUnavailableError: the service refuses the request as such, or its certificate is not trusted; trying again
                cannot help.
        """
        tag = tag_of(request.role, request.subject)
        self._announce(tag, request.role, request.subject, request.task)
        parameters = parameters_of(request, tag)
        tries = Tries(parameters)
        try:
            seconds = self._patience.total if request.seconds is None else request.seconds
            message, request_id = tries.within(seconds, lambda: self._asked(request, parameters, tries))
        except (TrialEndedError, TimeoutError) as error:
            ended = error if isinstance(error, TrialEndedError) else self._overdue(request, tries)
            calls = tuple(self._booked(request, usage, "") for usage in tries.spent)
            raise TrialEndedError(ended.ending, ended.cause, calls) from error
        miss = cache_miss(message.diagnostics.to_dict() if message.diagnostics else None)
        call = replace(self._booked(request, sum(tries.spent, usage_of(message.usage)), request_id), cache_miss=miss)
        content = tuple(plain(block.to_dict(mode="json")) for block in message.content)
        return ModelReply(call=call, stop_reason=message.stop_reason or "", content=content, id=message.id)

    def close(self) -> None:
        """Close idle connections."""
        self._client.close()

    def _overdue(self, request: ModelRequest, tries: Tries) -> TrialEndedError:
        """Slow is the trial's own end. A try without a byte in all the client's patience proves a fault of the service."""
        if request.seconds is None:
            return TrialEndedError(Ending.MISSING_API, f"the service gave no whole answer in {self._patience.total:g} s")
        if tries.silent and tries.seen is None:
            return TrialEndedError(Ending.MISSING_API, "the service was silent until the trial's time was over")
        return TrialEndedError(Ending.AGENT_TIMEOUT, "the trial's time was over before the model had answered")

    def _booked(self, request: ModelRequest, usage: Usage, request_id: str) -> Call:
        cost = self._prices.cost(request.model, usage)
        return Call(role=request.role, model=request.model, usage=usage, cost_usd=cost, request_id=request_id)

    def _asked(self, request: ModelRequest, parameters: dict[str, Any], tries: Tries) -> tuple[Message, str]:
        import anthropic  # noqa: PLC0415  (already loaded by the constructor)
        import httpx2  # noqa: PLC0415  (the SDK's transport; its errors while a stream is read come as they are)

        client = self._client.with_options(middleware=[tries])
        try:
            return self._streamed(client, parameters, tries)
        except (anthropic.APIError, httpx2.HTTPError) as error:
            raise translated(error, request.model) from error

    def _streamed(self, client: Anthropic, parameters: dict[str, Any], tries: Tries) -> tuple[Message, str]:
        import anthropic  # noqa: PLC0415  (already loaded by the constructor)
        import httpx2  # noqa: PLC0415  (as in `_asked`)

        again = 0
        while True:
            # The header is the SDK's own; set here it counts these tries too.
            header = {"x-stainless-retry-count": str(again)} if again else None
            with client.messages.stream(**parameters, extra_headers=header) as stream:
                tries.reads(stream)
                try:
                    for _ in stream:
                        tries.seen = stream.current_message_snapshot
                    return stream.get_final_message(), stream.request_id or ""
                except (anthropic.APIError, httpx2.HTTPError) as error:
                    tries.broke()
                    begun = tries.seen is not None and bool(tries.seen.content)
                    inside = isinstance(error, anthropic.APIStatusError) and error.type in _IN_STREAM
                    if begun or again == self._patience.retries or not inside:
                        raise
            time.sleep(min(_LONGEST_PAUSE, self._patience.pause * 2**again))
            again += 1


def parameters_of(request: ModelRequest, tag: str) -> dict[str, Any]:
    """A request in the shape of the Messages API, under its opaque tag."""
    parameters: dict[str, Any] = {
        "model": request.model,
        "max_tokens": request.max_tokens,
        "messages": request.messages,
        "metadata": {"user_id": tag},
    }
    if request.system:
        parameters["system"] = request.system
    if request.tools:
        parameters["tools"] = request.tools
    output: dict[str, Any] = {"effort": request.effort} if request.effort else {}
    if request.schema is not None:
        output["format"] = {"type": "json_schema", "schema": request.schema}
    if output:
        parameters["output_config"] = output
    if request.previous is not None:
        parameters["diagnostics"] = {"previous_message_id": request.previous or None}
    return parameters


def plain(block: dict[str, Any]) -> dict[str, Any]:
    """A content block as it may be sent back: without what the SDK's parsing added."""
    return {key: value for key, value in block.items() if key != "parsed_output"}


def translated(error: Exception, model: str) -> TrialEndedError | HarnessError:
    """Our exception for one of the SDK's or of its transport."""
    import anthropic  # noqa: PLC0415  (already loaded by the constructor)

    if not isinstance(error, anthropic.APIStatusError):
        cause = connection_cause(error)
        return ServiceUnavailableError(cause) if _CERTIFICATE in cause else TrialEndedError(Ending.MISSING_API, cause)
    status, said = error.status_code, " ".join((error.api_message or str(error)).split())[:_LONGEST_CAUSE]
    if status in (401, 403):
        return KeyMissingError(f"the model's service refuses the key ({status}: {said}); check ANTHROPIC_API_KEY")
    if status == 404:  # noqa: PLR2004
        return ConfigError(f"model {model!r} is not known to the service ({said}); choose another with --model")
    if status == 413 or (status == 400 and "too long" in said):  # noqa: PLR2004
        return TrialEndedError(Ending.AGENT_BUDGET, f"the conversation no longer fits the model: {said}")
    if status >= 500 or status in _TRANSIENT or error.type in _IN_STREAM:  # noqa: PLR2004
        return TrialEndedError(Ending.MISSING_API, f"{status} {error.type or 'error'} after all tries: {said}")
    return ServiceUnavailableError(f"the model's service refuses the request ({status} {error.type or ''}): {said}")


def connection_cause(error: BaseException) -> str:
    """What broke the connection, the innermost cause named: a certificate problem must not read as "connection error"."""
    causes = [error]
    while inner := causes[-1].__cause__ or causes[-1].__context__:
        causes.append(inner)
    words = f"{type(error).__name__}: {causes[-1]}"
    hint = "; set SSL_CERT_FILE to the certificate of the authority that your network uses" if _CERTIFICATE in words else ""
    return f"{words}{hint}"
