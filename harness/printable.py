"""The one function for text that others wrote, in every place that prints: terminal, logs, Markdown and pages.

Names, output, quotes and code may carry terminal escapes, invisible characters and direction marks that make a reader
see other text than the bytes say. They are shown, not obeyed and not dropped: ⟨U+202E⟩.
"""

from __future__ import annotations

import re
import unicodedata

# Cc control, Cf format (zero-width, bidirectional, tags), Cs surrogates (undecodable bytes), Zl and Zp line separators.
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
# Letters and marks by category, yet blank or joining on screen: fillers, the combining joiner, variation selectors.
_SELECTORS = (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))
_BLANK = frozenset({0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0, *_SELECTORS})
_PLAIN = re.compile(r"[ -~\n\t]*")


def printable(text: str, *, lines: bool = True) -> str:
    """The text with every control, zero-width and bidirectional character shown as ⟨U+XXXX⟩.

    Line feeds and tabs stay where `lines` is true; with `lines=False` (a table cell, a log line) they are shown too.
    A carriage return is always shown: in a terminal it overwrites what stands before it. Undecodable bytes
    (surrogate-escaped) are shown by their value as ⟨0xFF⟩.
    """
    if lines and _PLAIN.fullmatch(text):
        return text
    kept = "\n\t" if lines else ""
    return "".join(char if char in kept or not _hidden(char) else _shown(char) for char in text)


def _hidden(char: str) -> bool:
    return unicodedata.category(char) in _HIDDEN or ord(char) in _BLANK


def _shown(char: str) -> str:
    code = ord(char)
    if 0xDC80 <= code <= 0xDCFF:  # a byte that Python's surrogateescape kept  # noqa: PLR2004
        return f"⟨0x{code - 0xDC00:02X}⟩"
    return f"⟨U+{code:04X}⟩"
