"""What a model is shown of a tool's output: decoded, and cut in the middle when long. The one place that cuts."""

from __future__ import annotations

LONGEST = 24_000  # characters; about 6,000 tokens


def clipped(output: bytes | str, limit: int = LONGEST) -> str:
    """The text, or its head and tail around a note of how much was left out."""
    text = output if isinstance(output, str) else output.decode("utf-8", "replace")
    if len(text) <= limit:
        return text
    head, tail = limit * 2 // 3, limit // 3
    left_out = len(text) - head - tail
    return f"{text[:head]}\n[... {left_out} characters left out; narrow the command to see them ...]\n{text[-tail:]}"
