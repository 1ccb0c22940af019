"""Message batches: every request is answered at once, the results are kept until the service ends. Its only memory."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, ValidationError

from harness.models.rehearsal.messages_api import RefusedError, Response
from harness.models.rehearsal.wire import error_body

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harness.models.rehearsal.messages_api import Asking, MessagesApi
    from harness.ports import Json

_WHEN = "2026-11-01T00:00:00Z"  # a rehearsal repeats itself, so it has no clock


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")
    custom_id: str
    params: dict[str, object]


class _BatchRequest(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")
    requests: tuple[_Entry, ...]


class Batches:
    """`/v1/messages/batches`: create, retrieve, results."""

    def __init__(self, api: MessagesApi, polls: int = 0) -> None:
        self._api = api
        self._polls = polls
        self._left: dict[str, int] = {}
        self._results: dict[str, tuple[str, ...]] = {}

    def create(self, body: bytes, asking: Asking) -> Response:
        """Answer all requests and keep the answers; results come in another order than the requests."""
        try:
            entries = _BatchRequest.model_validate_json(body).requests
        except ValidationError as error:
            raise RefusedError(400, "invalid_request_error", error.errors()[0]["msg"]) from error
        batch = f"msgbatch_{hashlib.sha256(body).hexdigest()[:24]}"
        self._left[batch] = self._polls
        lines = (json.dumps({"custom_id": entry.custom_id, "result": self._result(entry, asking)}) for entry in entries)
        self._results[batch] = tuple(sorted(lines, key=lambda line: hashlib.sha256(line.encode()).digest()))
        return self._described(batch, asking)

    def retrieve(self, path: str, asking: Asking) -> Response:
        """One batch, or its results, by the path below `/v1/messages/batches/`."""
        self._api.allowed(asking)
        batch, _, rest = path.partition("/")
        if batch not in self._results:
            raise RefusedError(404, "not_found_error", f"no batch {batch!r}")
        if rest == "results":
            if self._left[batch]:
                raise RefusedError(404, "not_found_error", f"batch {batch!r} has not ended")
            body = "".join(f"{line}\n" for line in self._results[batch]).encode()
            return Response(status=200, content_type="application/x-jsonl", body=body)
        described = self._described(batch, asking)
        self._left[batch] = max(0, self._left[batch] - 1)
        return described

    def _result(self, entry: _Entry, asking: Asking) -> Mapping[str, Json]:
        try:
            response = self._api.messages(json.dumps({**entry.params, "stream": False}).encode(), asking)
        except RefusedError as refused:
            return {"type": "errored", "error": error_body(refused.kind, refused.words)}
        return {"type": "succeeded", "message": json.loads(response.body)}

    def _described(self, batch: str, asking: Asking) -> Response:
        failed = sum('"result": {"type": "errored"' in line for line in self._results[batch])
        counts = {"processing": 0, "canceled": 0, "expired": 0, "errored": failed}
        described = {
            "id": batch,
            "type": "message_batch",
            "processing_status": "in_progress" if self._left[batch] else "ended",
            "request_counts": {**counts, "succeeded": len(self._results[batch]) - failed},
            "created_at": _WHEN,
            "ended_at": None if self._left[batch] else _WHEN,
            "expires_at": _WHEN,
            "archived_at": None,
            "cancel_initiated_at": None,
            "results_url": f"http://{asking.host}/v1/messages/batches/{batch}/results",
        }
        return Response(status=200, content_type="application/json", body=json.dumps(described).encode())
