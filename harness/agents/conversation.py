"""One rollout's conversation: the messages that are sent, the transcript that is kept, and where the variant was seen in it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from harness.agents.load import evidence
from harness.delivery import shows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from harness.ports import Delivered, Json, ModelReply
    from harness.rollout import LoadEvidence

_CACHED: Json = {"type": "ephemeral"}
_SYSTEM = """\
You are a coding agent. You work in a checked-out project, your working directory, through the tools given to you; there is \
no network and nobody to ask. Make the change that the task asks for in the files themselves. When it is done, answer \
without a tool call; that ends your work."""


_LEFT_OUT = "[left out to keep the conversation short; run the command again to see it]"
_KEPT_TURNS = 8  # of ours and the model's, at the end, that stay whole
_SHORT = 400  # characters: a result under this is not worth leaving out


class Conversation:
    """Grows by turns; edits none that was sent, so that the service's cache keeps holding, but where `shorten` is asked for."""

    def __init__(self, delivered: Delivered, instruction: str) -> None:
        system = f"{_SYSTEM}\n\n{delivered.system}" if delivered.system else _SYSTEM
        self.system: Sequence[Json] = ({"type": "text", "text": system, "cache_control": _CACHED},)
        self.previous = ""  # the id of the last answer, by which the service tells why its cache missed
        self._delivered = delivered
        self._messages: list[Json] = []
        self._lines: list[str] = []
        self._seen_in = "the system prompt" if shows(system, delivered.proof) else ""
        self._note({"type": "system", "text": system})
        task = f"{delivered.preface}\n\n{instruction}" if delivered.preface else instruction
        self.user([{"type": "text", "text": task}])

    def user(self, content: Sequence[Mapping[str, Json]]) -> None:
        """Add a turn of ours: the task, or results of tools."""
        self._messages.append({"role": "user", "content": content})
        self._note({"type": "user", "content": content})
        if not self._seen_in and shows("\n".join(_texts(content)), self._delivered.proof):
            self._seen_in = "the first message" if len(self._messages) == 1 else f"message {len(self._messages)}, a tool's result"

    def assistant(self, reply: ModelReply) -> None:
        """Add a turn of the model, as it came."""
        self._messages.append({"role": "assistant", "content": reply.content})
        self.previous = reply.id
        usage = reply.call.usage
        self._note(
            {
                "type": "assistant",
                "content": reply.content,
                "stop_reason": reply.stop_reason,
                "request_id": reply.call.request_id,
                "input_tokens": usage.input + usage.cache_read + usage.cache_write_5m + usage.cache_write_1h,
                "output_tokens": usage.output,
                **({"cache_miss": reply.call.cache_miss} if reply.call.cache_miss else {}),
            }
        )

    def shorten(self) -> None:
        """Leave out long results of tools, but for the newest turns and whatever shows the variant.

        All at once: the cache is lost by the first.
        """
        count = 0
        for place, message in enumerate(self._messages[:-_KEPT_TURNS]):
            if isinstance(message, dict) and message["role"] == "user" and place:
                blocks = [self._shortened(block) for block in message["content"]]
                count += sum(new is not old for new, old in zip(blocks, message["content"], strict=True))
                self._messages[place] = {**message, "content": blocks}
        self._note({"type": "shortened", "results": count})

    def _shortened(self, block: Mapping[str, Json]) -> Mapping[str, Json]:
        text = block.get("content")
        if not isinstance(text, str) or len(text) < _SHORT or shows(text, self._delivered.proof):
            return block
        return {**block, "content": _LEFT_OUT}

    def end(self, ending: str, cause: str) -> None:
        """Note how it ended."""
        self._note({"type": "end", "ending": ending, "cause": cause})

    @property
    def to_send(self) -> Sequence[Json]:
        """The messages, with a cache point at the end of the last one."""
        *earlier, last = self._messages
        if not isinstance(last, dict) or last["role"] != "user":
            return [*self._messages]
        *blocks, final = last["content"]
        return [*earlier, {**last, "content": [*blocks, {**final, "cache_control": _CACHED}]}]

    @property
    def transcript(self) -> str:
        """One JSON document a line."""
        return "".join(f"{line}\n" for line in self._lines)

    @property
    def load(self) -> LoadEvidence:
        """Whether the variant's text stood in what was sent, and where."""
        return evidence(self._delivered, f"in {self._seen_in}" if self._seen_in else "")

    def _note(self, line: Json) -> None:
        self._lines.append(json.dumps(line, ensure_ascii=False))


def _texts(content: Sequence[Mapping[str, Json]]) -> Iterator[str]:
    for block in content:
        text = block.get("text") or block.get("content")
        if isinstance(text, str):
            yield text
