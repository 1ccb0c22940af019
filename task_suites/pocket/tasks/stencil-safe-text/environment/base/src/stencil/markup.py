"""Text that is known to be safe HTML, and how other text becomes so."""

from html import escape as _escape


class Markup(str):
    """Text that is not escaped again."""

    __slots__ = ()


def escape(value: object) -> Markup:
    """Return ``value`` as safe text: Markup as it is, anything else with HTML escaped."""
    return value if isinstance(value, Markup) else Markup(_escape(str(value)))
