"""Overrides from environment variables, such as APP__DATABASE__PORT=5433."""

from collections.abc import Mapping

from confmerge.coerce import coerce
from confmerge.merge import Layer
from confmerge.paths import Value, look_up

SEPARATOR = "__"


def read_environment(
    environ: Mapping[str, str], prefix: str, data: Mapping[str, Value]
) -> list[Layer]:
    """Return one layer for each variable with the prefix, in the order of their names.

    A name is the prefix and the keys of a path in upper case, joined by two underscores.
    A value takes the type of what `data` has in its place.
    """
    layers = []
    start = prefix + SEPARATOR
    for name in sorted(environ):
        if name.startswith(start):
            keys = name.removeprefix(start).lower().split(SEPARATOR)
            layers.append(Layer(name=f"${name}", data=_nested(keys, environ[name], data)))
    return layers


def _nested(keys: list[str], text: str, data: Mapping[str, Value]) -> dict[str, Value]:
    path = tuple(keys)
    try:
        like = look_up(dict(data), path)
    except LookupError:
        like = None
    value = coerce(text, like, path)
    nested: dict[str, Value] = {keys[-1]: value}
    for key in reversed(keys[:-1]):
        nested = {key: nested}
    return nested
