"""The Messages API without a socket: one request in, one response out, nothing remembered.

Owns the checks that the real API makes too, faults by draw, and which part answers. The parts themselves are next door.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import ValidationError

from harness.models.rehearsal import coder, extractor, proposer, reviewer
from harness.models.rehearsal.draws import Draws
from harness.models.rehearsal.fingerprint import Fingerprint, diagnosed
from harness.models.rehearsal.wire import (
    Answer,
    MessagesRequest,
    error_body,
    error_event,
    message,
    says,
    stream,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harness.models.rehearsal.settings import Settings
    from harness.models.rehearsal.table import Asker, TableReader
    from harness.ports import Json
    from harness.task import Suite

_BYTES_PER_TOKEN = 4
_TRICKLE = 0.05  # seconds between two bytes of an answer that trickles
_STATUSES = {
    "rate_limited": (429, "rate_limit_error"),
    "overloaded": (529, "overloaded_error"),
    "server_error": (500, "api_error"),
}


class RefusedError(Exception):
    """A request that the service answers with an error: status, the API's name of it, and words."""

    def __init__(self, status: int, kind: str, words: str) -> None:
        super().__init__(words)
        self.status = status
        self.kind = kind
        self.words = words


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """Where a request comes from: its key, how often the client has tried before, and the host it was sent to."""

    key: str
    attempt: int
    host: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """What goes back over the wire, with so many seconds between two bytes of the body."""

    status: int
    content_type: str
    body: bytes
    request_id: str = ""
    pause: float = 0.0


class MessagesApi:
    """The rehearsal for one suite, one seed, one table of tags."""

    def __init__(self, suite: Suite, table: TableReader, seed: int, settings: Settings) -> None:
        self._suite = suite
        self._table = table
        self._seed = seed
        self._settings = settings

    def messages(self, body: bytes, asking: Asking) -> Response:
        """`POST /v1/messages`."""
        request = self._checked(body, asking)
        asker, draws = self._known(request)
        fault = self._fault(asker, draws, request.calls, asking.attempt)
        if fault in _STATUSES:
            status, kind = _STATUSES[fault]
            raise RefusedError(status, kind, f"{kind} by draw, try {asking.attempt + 1}")
        if fault == "overloaded_in_stream" and request.stream:
            return Response(status=200, content_type="text/event-stream", body=error_event("overloaded_error", "Overloaded"))
        answer = _spoilt(self._answer(request, asker, draws), fault)
        asked = json.loads(body)
        previous = request.diagnostics.previous_message_id if request.diagnostics else None
        miss = diagnosed(asked, previous, len(body) // _BYTES_PER_TOKEN)
        usage = _usage(body, request, answer, kept=miss is None)
        message_id = f"{draws.token(request.calls, 'message')}_{Fingerprint.of(asked)}"
        whole = message(answer, request.model, message_id, usage, miss)
        request_id = f"req_{draws.token(request.calls, f'request {asking.attempt}')}"
        pause = _TRICKLE if fault == "trickled" else 0.0
        if not request.stream:
            return Response(
                status=200, content_type="application/json", body=json.dumps(whole).encode(), request_id=request_id, pause=pause
            )
        events = list(stream(whole, answer))
        if fault == "overloaded_mid_stream":
            events = [*events[:3], error_event("overloaded_error", "Overloaded")]
        return Response(status=200, content_type="text/event-stream", body=b"".join(events), request_id=request_id, pause=pause)

    def count_tokens(self, body: bytes, asking: Asking) -> Response:
        """`POST /v1/messages/count_tokens`."""
        self.allowed(asking)
        counted = json.dumps({"input_tokens": len(body) // _BYTES_PER_TOKEN}).encode()
        return Response(status=200, content_type="application/json", body=counted)

    def _checked(self, body: bytes, asking: Asking) -> MessagesRequest:
        self.allowed(asking)
        try:
            request = MessagesRequest.model_validate_json(body)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"])
            raise RefusedError(400, "invalid_request_error", f"{place}: {first['msg']}") from error
        if self._settings.models and request.model not in self._settings.models:
            raise RefusedError(404, "not_found_error", f"model: {request.model}")
        _check_turns(request)
        return request

    def allowed(self, asking: Asking) -> None:
        """Refuse a request without the right key."""
        if not asking.key or (self._settings.key and asking.key != self._settings.key):
            raise RefusedError(401, "authentication_error", "invalid bearer token")

    def _known(self, request: MessagesRequest) -> tuple[Asker, Draws]:
        asker = self._table.find(request.metadata.user_id)
        if asker is None:
            raise RefusedError(400, "invalid_request_error", f"metadata.user_id: unknown tag {request.metadata.user_id!r}")
        return asker, Draws(seed=self._seed, subject=asker.subject, role=asker.role)

    def _answer(self, request: MessagesRequest, asker: Asker, draws: Draws) -> Answer:
        part = _part(asker)
        if part == "proposer":
            return proposer.play(request, self._suite, draws)
        if part == "extractor":
            return extractor.play(request, draws, self._settings.inventions)
        task = self._suite.by_id.get(asker.task)
        if task is None:
            raise RefusedError(400, "invalid_request_error", f"no task {asker.task!r} in suite {self._suite.id!r}")
        if part == "coder":
            return coder.play(request, task, draws, self._settings.base)
        if part == "reviewer":
            return reviewer.play(request, task, draws, self._settings.reviewers)
        raise RefusedError(
            400, "invalid_request_error", f"no part for role {asker.role!r}; known: coder, extractor, proposer, reviewer"
        )

    def _fault(self, asker: Asker, draws: Draws, call: int, attempt: int) -> str:
        for faults in self._settings.faults:
            hit = not faults.roles or any(f"{asker.role}:".startswith(f"{role}:") for role in faults.roles)
            if not hit or 0 < faults.attempts <= attempt:
                continue
            for name, chance in faults.model_dump(exclude={"attempts", "roles"}).items():
                if chance and draws.uniform(call, f"{name} {attempt}") < chance:
                    return str(name)
        return ""


def _part(asker: Asker) -> str:
    """Which part a role belongs to: the word before the first colon, as in `reviewer:correctness:original:1`."""
    return asker.role.partition(":")[0]


def _check_turns(request: MessagesRequest) -> None:
    """The API's own conditions on a conversation: it begins with the user, and every tool call is answered at once."""
    if not request.messages or request.messages[0].role != "user":
        raise RefusedError(400, "invalid_request_error", "messages: first message must use the user role")
    for place, turn in enumerate(request.messages):
        if not turn.content and place < len(request.messages) - 1:
            raise RefusedError(400, "invalid_request_error", f"messages.{place}: content must not be empty")
        asked = {block.id for block in turn.blocks if block.type == "tool_use"}
        following = request.messages[place + 1].blocks if place + 1 < len(request.messages) else ()
        given = {block.tool_use_id for block in following if block.type == "tool_result"}
        if asked != given:
            raise RefusedError(400, "invalid_request_error", f"messages.{place}: tool_use ids without tool_result blocks")


def _spoilt(answer: Answer, fault: str) -> Answer:
    if fault == "refused":
        return Answer(content=(), stop_reason="refusal")
    text = "".join(str(block.get("text", "")) for block in answer.content)
    if fault == "cut_off":
        return says(text[: len(text) // 2], "max_tokens")
    if fault == "malformed":
        return says(f"Here is my answer:\n```json\n{text[: len(text) * 2 // 3]}")
    return answer


def _usage(body: bytes, request: MessagesRequest, answer: Answer, *, kept: bool) -> Mapping[str, Json]:
    """Tokens guessed from bytes. With a cache point, all but what this call added counts as read from the cache, if that kept."""
    prompt = max(1, len(body) // _BYTES_PER_TOKEN)
    written = max(1, len(json.dumps(answer.content)) // _BYTES_PER_TOKEN)
    cached = any(block.cache_control for block in request.messages[-1].blocks)
    added = sum(len(block.shown) for turn in request.messages[-2:] for block in turn.blocks) // _BYTES_PER_TOKEN
    fresh = min(prompt, added) if request.calls and kept else prompt
    creation = fresh if cached else 0
    return {
        "input_tokens": 1 if cached else prompt,
        "cache_read_input_tokens": prompt - fresh if cached else 0,
        "cache_creation_input_tokens": creation,
        "cache_creation": {"ephemeral_5m_input_tokens": creation, "ephemeral_1h_input_tokens": 0},
        "output_tokens": written,
    }


def error_response(refused: RefusedError) -> Response:
    """The response to a refused request."""
    body = json.dumps(error_body(refused.kind, refused.words)).encode()
    return Response(status=refused.status, content_type="application/json", body=body, request_id="req_refused")
