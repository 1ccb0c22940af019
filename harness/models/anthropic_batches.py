"""The model port over message batches: half the price, and an answer within a day instead of seconds.

Requests of all threads that come close together go out as one batch. A note of each batch is kept on disk by what it asks, so
that a run that was killed takes up the batches it has paid for: the same request is found in its batch again, by id.
"""

from __future__ import annotations

import hashlib
import json
import threading
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, ValidationError

from harness.errors import KeyMissingError, ServiceUnavailableError
from harness.models.anthropic_api import parameters_of, plain, translated
from harness.models.tag import tag_of
from harness.models.usage import usage_of
from harness.ports import ModelReply, TrialEndedError
from harness.rollout import Call, Ending, Usage

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from anthropic.types import Message
    from anthropic.types.messages import MessageBatchIndividualResponse

    from harness.models.prices import Prices
    from harness.ports import Announce, ModelRequest

MOST_REQUESTS = 10_000  # of one batch; the service takes 100,000
MOST_MISSES = 30  # looks at one batch that may fail: an hour at the longest pause
_HOPELESS = frozenset({"invalid_request_error", "not_found_error", "authentication_error", "permission_error"})
_GRACE = 10.0  # seconds that closing waits for a look that is under way
_SLOWER = 2.0  # each pause between two looks at the same batches is so many times the one before


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """How batches are sent and awaited.

    `notes` is a file in an existing folder, kept between runs. `linger` are the seconds without another request after which a
    batch goes out, `first` and `longest` the pauses between looks at its state, `retries` how often the client asks again where
    the service fails, `most` the seconds after which an answer is given up: the service ends every batch within 24 hours.
    """

    notes: Path
    linger: float = 2.0
    first: float = 5.0
    longest: float = 120.0
    retries: int = 4
    most: float = 26 * 3600.0


class BatchModel:
    """`ports.Model` over `/v1/messages/batches`. Its one thread sends and collects; `send` blocks until its answer is there."""

    def __init__(
        self,
        *,
        api_key: str,
        base_url: str | None,
        announce: Announce,
        prices: Prices,
        waiting: Waiting,
    ) -> None:
        """Make the client; nothing is sent yet.

        Raises:
            KeyMissingError: if the key is empty.
            ServiceUnavailableError: the notes are not as this version writes them.
        """
        if not api_key:
            raise KeyMissingError("no key for the model's service: set ANTHROPIC_API_KEY, or use --model rehearsal")
        import anthropic  # noqa: PLC0415  (a second of imports that `harness --help` does not need)

        self._client = anthropic.Anthropic(api_key=api_key, base_url=base_url, max_retries=waiting.retries, open_telemetry=False)
        self._announce = announce
        self._prices = prices
        self._waiting = waiting
        self._batch_of = _read(waiting.notes)
        self._answers: dict[str, Future[Message]] = {}
        self._booked: set[str] = set()
        self._pending: dict[str, dict[str, Any]] = {}
        self._open: dict[str, set[str]] = {}
        self._misses: dict[str, int] = {}
        self._changed = threading.Condition()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="batches", daemon=True)
        self._thread.start()

    def send(self, request: ModelRequest) -> ModelReply:
        """One call. The same request has the same answer as long as it is noted; its cost is booked once.

        Raises:
            TrialEndedError: MISSING_API when the service fails, or the batch has expired or never ends.
            KeyMissingError: the key is refused.
            ConfigError: the model does not exist.
            ServiceUnavailableError: the service refuses the request as such.
        """
        tag = tag_of(request.role, request.subject)
        self._announce(tag, request.role, request.subject, request.task)
        parameters = parameters_of(request, tag)
        name = hashlib.sha256(json.dumps(parameters, sort_keys=True).encode()).hexdigest()
        try:
            message = self._answer(name, parameters).result(self._waiting.most)
        except TimeoutError as error:
            raise TrialEndedError(Ending.MISSING_API, f"the batch gave no answer in {self._waiting.most:g} s") from error
        with self._changed:
            fresh = name not in self._booked
            self._booked.add(name)
        usage = usage_of(message.usage) if fresh else Usage()
        cost = self._prices.cost(request.model, usage) if fresh else 0.0
        call = Call(
            role=request.role,
            model=request.model,
            usage=usage,
            cost_usd=None if cost is None else cost * self._prices.batch,
            request_id=message.id,
        )
        content = tuple(plain(block.to_dict(mode="json")) for block in message.content)
        return ModelReply(call=call, stop_reason=message.stop_reason or "", content=content)

    def close(self) -> None:
        """Stop collecting; batches that are open stay noted."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._thread.join(_GRACE)
        self._client.close()

    def _answer(self, name: str, parameters: dict[str, Any]) -> Future[Message]:
        """The future of an answer: known, awaited in a noted batch, or to be asked for with the next batch."""
        with self._changed:
            found = self._answers.get(name)
            if found is None:
                found = self._answers[name] = Future()
                if name in self._batch_of:
                    self._open.setdefault(self._batch_of[name], set()).add(name)
                self._pending[name] = parameters
                self._changed.notify_all()
            return found

    def _run(self) -> None:
        """Whatever goes wrong in the thread is raised where somebody waits for an answer."""
        try:
            self._work()
        except Exception as error:  # noqa: BLE001
            self._fail(list(self._answers), error)

    def _work(self) -> None:
        pause = self._waiting.first
        while True:
            with self._changed:
                while not (self._closed or self._pending):
                    self._changed.wait()
                if self._closed:
                    self._fail(list(self._answers), TrialEndedError(Ending.MISSING_API, "the run was ended before its batch"))
                    return
                self._settle()
                new = [name for name in self._pending if name not in self._batch_of][:MOST_REQUESTS]
            if new:
                self._submit(new)
                pause = self._waiting.first
            for batch in list(self._open):
                self._collect(batch)
            with self._changed:
                if self._open and not any(name not in self._batch_of for name in self._pending):
                    self._changed.wait(pause)
                    pause = min(self._waiting.longest, pause * _SLOWER)

    def _settle(self) -> None:
        """Wait until no request has come for a while, the lock held but for the waiting."""
        count = -1
        while count != len(self._pending) and not self._closed:
            count = len(self._pending)
            self._changed.wait(self._waiting.linger)

    def _submit(self, names: list[str]) -> None:
        import anthropic  # noqa: PLC0415  (already loaded by the constructor)
        import httpx2  # noqa: PLC0415  (the SDK's transport)

        requests: Any = [{"custom_id": name, "params": self._pending[name]} for name in names]
        try:
            batch = self._client.messages.batches.create(requests=requests).id
        except (anthropic.APIError, httpx2.HTTPError) as error:
            self._fail(names, translated(error, str(requests[0]["params"]["model"])))
            return
        with self._waiting.notes.open("a", encoding="utf-8") as file:
            file.write(_Note(batch=batch, ids=tuple(names)).model_dump_json() + "\n")
        with self._changed:
            self._batch_of.update(dict.fromkeys(names, batch))
            self._open.setdefault(batch, set()).update(names)

    def _collect(self, batch: str) -> None:
        """Take a batch's results if it has ended, by id: the service gives them in any order."""
        import anthropic  # noqa: PLC0415  (already loaded by the constructor)
        import httpx2  # noqa: PLC0415  (the SDK's transport)

        try:
            if self._client.messages.batches.retrieve(batch).processing_status != "ended":
                return
            results = {entry.custom_id: entry for entry in self._client.messages.batches.results(batch)}
        except anthropic.NotFoundError:
            results = {}  # forgotten by the service, after 29 days: what it held is asked anew
        except (anthropic.APIError, httpx2.HTTPError) as error:
            self._missed(batch, translated(error, "of the batch"))
            return
        for name in self._open.pop(batch):
            self._resolve(name, results.get(name))

    def _missed(self, batch: str, error: Exception) -> None:
        """A look that failed is no reason to pay for the batch again: it is looked at later, so long as there is hope."""
        self._misses[batch] = self._misses.get(batch, 0) + 1
        if not isinstance(error, TrialEndedError) or self._misses[batch] >= MOST_MISSES:
            self._fail(self._open.pop(batch), error)

    def _resolve(self, name: str, entry: MessageBatchIndividualResponse | None) -> None:
        if entry is not None and entry.result.type == "succeeded":
            with self._changed:
                self._pending.pop(name, None)
                self._answers[name].set_result(entry.result.message)
            return
        if entry is None:
            with self._changed:
                del self._batch_of[name]  # not in the batch: it stays pending, and goes out with the next
            return
        error = entry.result.error.error if entry.result.type == "errored" else None
        said = f"{error.type}: {error.message}" if error else f"the request has {entry.result.type} in its batch"
        if error and error.type in _HOPELESS:
            self._fail([name], ServiceUnavailableError(f"the model's service refuses the request ({said})"))
        else:
            self._fail([name], TrialEndedError(Ending.MISSING_API, said))

    def _fail(self, names: Iterable[str], error: Exception) -> None:
        """These have no answer; who asks again asks anew."""
        with self._changed:
            for name in names:
                self._pending.pop(name, None)
                self._batch_of.pop(name, None)
                answer = self._answers[name]
                if not answer.done():
                    del self._answers[name]
                    answer.set_exception(error)


class _Note(BaseModel):
    """One line of the notes: a batch and what it asks."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    batch: str
    ids: tuple[str, ...]


def _read(notes: Path) -> dict[str, str]:
    """Batch by request, the last note of a request standing. A line that a crash has cut counts for nothing."""
    if not notes.is_file():
        return {}
    whole, _, cut = notes.read_text(encoding="utf-8").rpartition("\n")
    if cut:
        notes.write_text(whole + "\n" * bool(whole), encoding="utf-8")
    found: dict[str, str] = {}
    for line in whole.splitlines():
        try:
            note = _Note.model_validate_json(line)
        except ValidationError as error:
            raise ServiceUnavailableError(f"{notes}: not a note of batches ({error.errors()[0]['msg']}); move it away") from error
        found.update(dict.fromkeys(note.ids, note.batch))
    return found
