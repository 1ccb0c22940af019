"""A rollout's transcript as text for a person: who said what, which tools were called, what was refused, how it ended."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from harness.ports import Json

_LONGEST = 2000  # characters of one piece


def rendered(transcript: str) -> Iterator[str]:
    """One paragraph a line of the transcript; long pieces are cut in the middle."""
    lines = filter(None, transcript.split("\n"))  # other separators of lines may stand in what was said
    for number, line in enumerate(lines, start=1):
        document = json.loads(line)
        yield f"[{number}] {_head(document)}"
        yield from (f"    {piece}" for text in _pieces(document) for piece in _cut(text).splitlines())


def _head(line: Mapping[str, Json]) -> str:
    told = [str(line["type"])]
    told += [f"{key} {line[key]}" for key in ("name", "version", "ending", "cause", "why", "status", "fault") if line.get(key)]
    told += [f"{key} {line[key]}" for key in ("stop_reason", "input_tokens", "output_tokens", "cache_miss") if line.get(key)]
    return ", ".join(told)


def _pieces(line: Mapping[str, Json]) -> Iterator[str]:
    for key in ("text", "command", "stdin", "output"):
        if isinstance(text := line.get(key), str):
            yield text
    yield from _content(line.get("content"))


def _content(content: Json) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        for block in content:
            if isinstance(block, dict):
                yield from _block(block)


def _block(block: Mapping[str, Json]) -> Iterator[str]:
    if block.get("type") == "tool_use":
        yield f"-> {block.get('name')} {json.dumps(block.get('input'), ensure_ascii=False)}"
    elif block.get("type") == "tool_result":
        yield "<-" + (" (error)" if block.get("is_error") else "")
        yield from _content(block.get("content"))
    else:
        yield from _content(block.get("text") or block.get("thinking"))


def _cut(text: str) -> str:
    if len(text) <= _LONGEST:
        return text
    half = _LONGEST // 2
    return f"{text[:half]}\n[... {len(text) - 2 * half} characters ...]\n{text[-half:]}"
