"""Does a reviewer's quote stand in the change? Matched by text, never by line number, spacing aside.

A quote must touch a line that the change adds or removes: what stood there before is no evidence against a change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.printable import printable

if TYPE_CHECKING:
    from harness.review.shown import Shown

SHORTEST = 4  # characters that are not blank: a quoted bracket stands everywhere and shows nothing


def supported(quote: str, change: Shown) -> bool:
    """Whether the quote, as it is or without diff markers, stands in one file of the change and touches a changed line."""
    plain = printable(quote.strip("\n"))
    bare = "\n".join(line[1:] if line[:1] in {"+", "-"} else line for line in plain.split("\n"))
    wanted = {words for words in (_words(plain), _words(bare)) if len(words.replace(" ", "")) >= SHORTEST}
    return any(_touches(side, words) for side in _sides(change) for words in wanted)


def _sides(change: Shown) -> list[list[tuple[str, bool]]]:
    """Per file the text after, the text before, and both as shown: lines that are not blank, and whether the change made them."""
    sides = []
    for file in change.files:
        for hidden in ("-", "+", ""):
            kept = [line for line in file.hunk_lines if line[1:].strip() and not (hidden and line.startswith(hidden))]
            sides.append([(_words(line[1:]), line[:1] in {"+", "-"}) for line in kept])
    return sides


def _touches(side: list[tuple[str, bool]], words: str) -> bool:
    """Looks around each changed line only for an occurrence that reaches into it."""
    text = " ".join(line for line, _ in side)
    start = 0
    for line, changed in side:
        end = start + len(line)
        if changed and text.find(words, max(0, start - len(words) + 1), end + len(words) - 1) >= 0:
            return True
        start = end + 1
    return False


def _words(text: str) -> str:
    return " ".join(text.split())
