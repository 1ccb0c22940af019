"""What a proposer is shown, within a hard cap: the skill whole, and of everything else a sample by a rule that the text states.

Sizes are bytes of UTF-8, of which a token has at least one and about four: the cap holds whatever failed and whatever was tried.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from harness.ports import DevFailure, Json, ProposalRequest, RejectedEdit
    from harness.skill import Skill

MAX_SKILL = 60_000
MAX_FAILURES = 16_000
MAX_EDITS = 16_000
MAX_EXAMPLES = 16_000
MAX_EXAMPLE = 6_000
MAX_REASON = 300  # characters of one failure's reason
MAX_ALL = MAX_SKILL + MAX_FAILURES + MAX_EDITS + MAX_EXAMPLES + 4_000  # headings and notes


def instructions(skill: Skill) -> str:
    """All files of the skill between fences that its own text cannot hold, the entry file first."""
    ordered = sorted(skill.tree, key=lambda item: (item[0] != skill.entry, item[0]))
    shown = [f"# The instructions ({path})\n\n{_fenced(file.text)}" for path, file in ordered if _is_text(file.content)]
    return "\n\n".join(shown)


def failures(request: ProposalRequest) -> str:
    """Equal failures as one line with a count; where they are too many, a sample in an order drawn by generation."""
    counted = Counter(request.failures)
    order = sorted(counted, key=lambda failure: _drawn(request.generation, failure))
    lines = [f"- {one.gate}, {one.task}: {one.reason[:MAX_REASON]} (times: {counted[one]})" for one in order]
    return _sampled("# Failed trials with these instructions", lines, MAX_FAILURES, "in an order drawn anew for each proposal")


def rejected(edits: Sequence[RejectedEdit]) -> str:
    """Edits as JSON lines, the newest first, as many as fit."""
    lines = [_edit_line(edit) for edit in reversed(edits)]
    return _sampled("# Edits tried and rejected since the last promotion", lines, MAX_EDITS, "the newest first")


def examples(request: ProposalRequest) -> str:
    """Worked examples, as many as fit, each cut at its end."""
    texts = [
        _cut(f"## {one.task}\n\n{one.instruction.strip()}\n\n```diff\n{one.patch.rstrip()}\n```", MAX_EXAMPLE)
        for one in request.examples
    ]
    return _sampled("# Good solutions of other tasks", texts, MAX_EXAMPLES, "in an order drawn anew for each proposal")


def _sampled(title: str, pieces: Iterable[str], room: int, rule: str) -> str:
    """As many pieces from the start as fit, and a line that says how many and by which rule."""
    every = list(pieces)
    kept: list[str] = []
    for piece in every:
        room -= len(piece.encode("utf-8", "replace")) + 1
        if room < 0:
            break
        kept.append(piece)
    note = f"\n\nA sample: {len(kept)} of {len(every)}, {rule}." if len(kept) < len(every) else ""
    return f"{title}\n\n" + ("\n".join(kept) or "None.") + note


def _edit_line(edit: RejectedEdit) -> str:
    shown: dict[str, Json] = {"find": edit.find, "replace": edit.replace}
    if edit.file:
        shown["file"] = edit.file
    if edit.near_miss:
        shown |= {"near_miss": True, "figures": edit.figures}
    return json.dumps(shown, ensure_ascii=False)


def _fenced(text: str) -> str:
    token = hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:24]
    return f"===== BEGIN SKILL {token} =====\n{text}\n===== END SKILL {token} ====="


def _cut(text: str, limit: int) -> str:
    raw = text.encode("utf-8", "replace")
    return text if len(raw) <= limit else f"{raw[:limit].decode('utf-8', 'ignore')}\n[... cut here ...]"


def _is_text(content: bytes) -> bool:
    try:
        return "\0" not in content.decode()
    except UnicodeDecodeError:
        return False


def _drawn(generation: int, failure: DevFailure) -> bytes:
    parts = (str(generation), failure.task, failure.gate, failure.reason)
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).digest()
