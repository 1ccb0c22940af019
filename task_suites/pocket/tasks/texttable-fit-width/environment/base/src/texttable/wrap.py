"""Breaking a cell into lines that fit a width."""

from collections.abc import Iterator

from texttable.width import char_width, display_width


def wrap(text: str, width: int) -> list[str]:
    """Break a text into lines of at most ``width`` terminal columns.

    Line breaks in the text are kept. A line that fits stays as it is; others break
    between words, and a word that is too long for a line breaks anywhere.
    """
    return [line for given in text.splitlines() or [""] for line in _fill(given, width)]


def split_word(word: str, width: int) -> Iterator[str]:
    """Cut a word into pieces that fit, never between a character and its marks.

    Each piece holds one character at least, even where that is too wide.
    """
    piece, used = "", 0
    for char in word:
        size = char_width(char)
        if piece and size and used + size > width:
            yield piece
            piece, used = "", 0
        piece, used = piece + char, used + size
    yield piece


def _fill(given: str, width: int) -> list[str]:
    if display_width(given) <= width:
        return [given]
    lines = [""]
    for word in given.split():
        joined = f"{lines[-1]} {word}" if lines[-1] else word
        if display_width(joined) <= width:
            lines[-1] = joined
            continue
        if lines[-1]:
            lines.append("")
        lines[-1:] = split_word(word, width)
    return lines
