"""The filters that every environment knows."""

from collections.abc import Callable, Iterable

from stencil.markup import Markup, escape

Filter = Callable[..., object]


def default(value: object, fallback: object) -> object:
    """Return ``fallback`` for what is undefined or none, and any other value as it is."""
    return fallback if value is None else value


def join(values: Iterable[object], separator: str = "") -> str:
    """Put ``separator`` between the values."""
    return str(separator).join(str(value) for value in values)


def length(value: object) -> int:
    """Return how many items or characters there are; TypeError where there are none."""
    return len(value)  # type: ignore[arg-type]


def lower(value: object) -> str:
    """Return the text in lower case."""
    return str(value).lower()


def replace(value: object, old: str, new: str) -> str:
    """Put ``new`` wherever ``old`` stands."""
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
