"""What a program in the container said to the model, read from its line: transcript, calls, and where the variant was shown.

Nothing here comes from the program's own words: the requests are what it really sent.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from harness.agents.load import evidence
from harness.delivery import shows
from harness.rollout import Ending

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from harness.ports import Delivered, Exchange, Json
    from harness.rollout import Call, LoadEvidence


_NO_LETTER = re.compile(r"\W+")


@dataclass(frozen=True, slots=True)
class Traffic:
    """The exchanges of one rollout, in their order."""

    exchanges: tuple[Exchange, ...]

    @property
    def calls(self) -> tuple[Call, ...]:
        """Every call that the service answered, booked."""
        return tuple(exchange.call for exchange in self.exchanges if exchange.call)

    @property
    def limit(self) -> Exchange | None:
        """The request that a limit of the trial forbade, if one did."""
        return next((exchange for exchange in self.exchanges if exchange.ending), None)

    @property
    def fault(self) -> str:
        """The service's fault, where the last request that was passed on met one."""
        last = next((exchange for exchange in reversed(self.exchanges) if not exchange.refused), None)
        return last.fault if last else ""

    @property
    def stopped(self) -> tuple[Ending, str] | None:
        """How a program that did not end well came to that end, where its line shows it: a limit, or the service's fault."""
        if limited := self.limit:
            return limited.ending or Ending.AGENT_BUDGET, limited.refused
        return (Ending.MISSING_API, self.fault) if self.fault else None

    def without(self, instruction: str) -> str:
        """What is wrong where requests were answered of which none held the task; else nothing.

        Programs put words around the statement, wrap and quote it: what counts are the letters of its longest line.
        """
        line = _letters(max(instruction.splitlines(), key=len, default=""))
        answered = list(self._answered())
        if not answered or any(line in _letters(text) for body in answered for _, text in _texts(body)):
            return ""
        return "no request held the task's text: the program began without it"

    def load(self, delivered: Delivered) -> LoadEvidence:
        """Whether the variant's text stood in a request that was answered; also whether the last one still held it."""
        answered = list(self._answered())
        places = [next((where for where, text in _texts(body) if shows(text, delivered.proof)), "") for body in answered]
        first = next((number for number, place in enumerate(places) if place), None)
        if first is None:
            return evidence(delivered, "")
        lost = "" if places[-1] else "; the last request no longer held it"
        return evidence(delivered, f"in {places[first]} of request {first + 1}{lost}")

    def listed(self, name: str) -> tuple[str, ...]:
        """What lists in the answered requests say of a skill, as "name: description"."""
        head = f"- {name}: "
        lines = (line.strip() for body in self._answered() for _, text in _texts(body) for line in text.split("\n"))
        return tuple(dict.fromkeys(line.removeprefix("- ") for line in lines if line.startswith(head)))

    def lines(self) -> Iterator[Json]:
        """The transcript: what is new in each request, the answer, and what was not passed on."""
        seen: list[list[str]] = []
        system = ""
        for exchange in self.exchanges:
            if exchange.refused:
                yield {"type": "refused", "why": exchange.refused}
                continue
            body = _body(exchange)
            text = "\n".join(found for _, found in _system(body))
            if text != system:
                system = text
                yield {"type": "system", "text": text}
            messages = _messages(body)
            marks = [_mark(message) for message in messages]
            known = max((_common(marks, earlier) for earlier in seen), default=0)
            seen.append(marks)
            yield from (
                {"type": str(message.get("role")), "content": message.get("content")}
                for message in messages[known:]
                if message.get("role") != "assistant"
            )
            yield _answer(exchange)

    def _answered(self) -> Iterator[Mapping[str, Any]]:
        return (_body(exchange) for exchange in self.exchanges if exchange.message is not None)


def _letters(text: str) -> str:
    return _NO_LETTER.sub("", text)


def _answer(exchange: Exchange) -> Json:
    if not isinstance(exchange.message, dict):
        return {"type": "fault", "status": exchange.status, "fault": exchange.fault}
    usage = exchange.call.usage if exchange.call else None
    line: dict[str, Json] = {
        "type": "assistant",
        "content": exchange.message.get("content"),
        "stop_reason": exchange.message.get("stop_reason"),
        "request_id": exchange.call.request_id if exchange.call else "",
        "input_tokens": usage.input + usage.cache_read + usage.cache_write_5m + usage.cache_write_1h if usage else 0,
        "output_tokens": usage.output if usage else 0,
    }
    if exchange.call and exchange.call.cache_miss:
        line["cache_miss"] = exchange.call.cache_miss
    return line | {"fault": exchange.fault} if exchange.fault else line


def _body(exchange: Exchange) -> Mapping[str, Any]:
    body = json.loads(exchange.body)
    return body if isinstance(body, dict) else {}


def _messages(body: Mapping[str, Any]) -> list[dict[str, Any]]:
    found = body.get("messages")
    return [message for message in found if isinstance(message, dict)] if isinstance(found, list) else []


def _texts(body: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """(place, text) of all that the model was shown by others than itself."""
    yield from _system(body)
    for number, message in enumerate(_messages(body), start=1):
        if message.get("role") != "assistant":
            yield from ((f"message {number}", text) for text in _blocks(message.get("content")))


def _system(body: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield from (("the system prompt", text) for text in _blocks(body.get("system")))


def _blocks(content: object) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    for block in content if isinstance(content, list) else []:
        if isinstance(block, dict):
            yield from _blocks(block.get("text") or block.get("content"))


def _mark(message: Mapping[str, Any]) -> str:
    """A message for comparison: cache points wander from request to request, and a lone text may be a string or a block."""
    content = message.get("content")
    blocks: Sequence[Any] = [{"type": "text", "text": content}] if isinstance(content, str) else content or []
    plain = [
        {key: value for key, value in block.items() if key != "cache_control"} for block in blocks if isinstance(block, dict)
    ]
    return json.dumps([message.get("role"), plain])


def _common(marks: Sequence[str], earlier: Sequence[str]) -> int:
    """How many messages two requests share from the start."""
    count = 0
    for mine, theirs in zip(marks, earlier, strict=False):
        if mine != theirs:
            break
        count += 1
    return count
