"""The filters that every environment knows."""

from collections.abc import Callable, Iterable

from stencil.markup import Markup, escape

Filter = Callable[..., object]


def default(value: object, fallback: object) -> object:
    """Return ``fallback`` for what is undefined or none, and any other value as it is."""
    return fallback if value is None else value


def join(values: Iterable[object], separator: str = "") -> str:
    """Put ``separator`` between the values.

    Once the separator or a value is Markup so is the result, and the others are escaped.
    """
    pieces = list(values)
    if any(isinstance(piece, Markup) for piece in (separator, *pieces)):
        return Markup(escape(separator).join(escape(piece) for piece in pieces))
    return separator.join(str(piece) for piece in pieces)


def length(value: object) -> int:
    """Return how many items or characters there are; TypeError where there are none."""
    return len(value)  # type: ignore[arg-type]


def lower(value: object) -> str:
    """Return the text in lower case."""
    return str(value).lower()


def replace(value: object, old: str, new: str) -> str:
    """Put ``new`` wherever ``old`` stands.

    If the text or ``new`` is Markup so is the result, and the other is escaped.
    """
    if isinstance(value, Markup):
        return Markup(value.replace(old, escape(new)))
    if isinstance(new, Markup):
        # Split before escaping: "l" must not be found in "&lt;".
        return Markup(new.join(escape(part) for part in str(value).split(old)))
    return str(value).replace(old, new)


def safe(value: object) -> Markup:
    """Declare the text to be HTML that needs no escaping."""
    return Markup(value)


def truncate(value: object, size: int, end: str = "...") -> str:
    """Shorten the text to ``size`` characters, ``end`` included, at a space if there is one.

    Raises ValueError where ``end`` alone is longer than ``size``.
    """
    text = str(value)
    if len(end) > size:
        raise ValueError(f"size {size} leaves no room for {end!r}")
    if len(text) <= size:
        return text
    room = size - len(end)
    # One character more, so that a word that just fits is kept.
    whole_words = text[: room + 1].rpartition(" ")[0].rstrip()
    return (whole_words or text[:room]) + end


def upper(value: object) -> str:
    """Return the text in upper case."""
    return str(value).upper()


FILTERS: dict[str, Filter] = {
    "default": default,
    "escape": escape,
    "join": join,
    "length": length,
    "lower": lower,
    "replace": replace,
    "safe": safe,
    "truncate": truncate,
    "upper": upper,
}
