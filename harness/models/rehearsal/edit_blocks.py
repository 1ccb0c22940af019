"""A change in aider's `diff` edit format, for programs that ask for text instead of offering tools: search and replace blocks.

Format: https://aider.chat/docs/more/edit-formats.html
"""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from harness.tree import difference

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.models.rehearsal.wire import MessagesRequest
    from harness.tree import Tree

_ASKED_FOR = "SEARCH/REPLACE"
_CONTEXT = 3  # lines about a change


def wants_blocks(request: MessagesRequest) -> bool:
    """Whether the request's instructions ask for such blocks."""
    return _ASKED_FOR in request.system_text or any(
        _ASKED_FOR in block.shown for turn in request.messages if turn.role == "user" for block in turn.blocks
    )


def blocks(base: Tree, after: Tree) -> str:
    """Blocks that turn one tree into another, file by file. The format knows no deletion and no mode: those are left out."""
    parts = []
    for change in difference(base, after):
        if change.new is not None:
            edits = _edits(change.old.text if change.old else "", change.new.text)
            parts += [_block(change.path, search, replace) for search, replace in edits]
    return "\n".join(parts)


def _block(path: str, search: str, replace: str) -> str:
    return f"{path}\n```\n<<<<<<< SEARCH\n{_ended(search)}=======\n{_ended(replace)}>>>>>>> REPLACE\n```\n"


def _ended(text: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}\n"


def _edits(old: str, new: str) -> list[tuple[str, str]]:
    """(text to be found, text in its place), in order; the whole file where a piece of it would be found more than once."""
    found, so_far = list(_hunks(old.splitlines(keepends=True), new.splitlines(keepends=True))), old
    for search, replace in found:
        if so_far.count(search) != 1:
            return [(old, new)]
        so_far = so_far.replace(search, replace)
    return found


def _hunks(old: list[str], new: list[str]) -> Iterator[tuple[str, str]]:
    for group in SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(_CONTEXT):
        first, last = group[0], group[-1]
        yield "".join(old[first[1] : last[2]]), "".join(new[first[3] : last[4]])
