"""How many terminal columns a text takes."""

import unicodedata


def display_width(text: str) -> int:
    """Return the number of terminal columns that a line of text takes."""
    return sum(char_width(char) for char in text)


def char_width(char: str) -> int:
    """Return the columns of one character: 2 for wide East Asian ones."""
    return 2 if unicodedata.east_asian_width(char) in {"W", "F"} else 1


def pad(text: str, width: int, align: str) -> str:
    """Fill a text up to a width with blanks; ``align`` says on which side it stands."""
    missing = max(width - display_width(text), 0)
    if align == "left":
        return text + " " * missing
    if align == "center":
        return " " * (missing // 2) + text + " " * (missing - missing // 2)
    return " " * missing + text
