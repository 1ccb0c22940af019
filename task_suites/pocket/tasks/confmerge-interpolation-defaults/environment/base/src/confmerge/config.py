"""The finished configuration, and the way from layers to it."""

from collections.abc import Iterable, Mapping
from copy import deepcopy

from confmerge.env import read_environment
from confmerge.errors import ConfigError
from confmerge.interpolate import interpolate
from confmerge.merge import Layer, ListStrategy, merge
from confmerge.paths import Path, Value, look_up, parse_path

_REQUIRED = object()


class Config:
    """Values by path, such as "servers[0].host", and where they came from."""

    def __init__(self, data: dict[str, Value], origins: Mapping[Path, str]) -> None:
        """Take the values, and the name of a layer for the path of each leaf."""
        self._data = data
        self._origins = origins

    def get(self, path: str, default: object = _REQUIRED) -> object:
        """Return a copy of the value at a path, or the default where there is none.

        Raises ConfigError where there is neither, or where `path` is no path.
        """
        place = _place(path)
        try:
            return deepcopy(look_up(self._data, place))
        except LookupError:
            if default is _REQUIRED:
                raise ConfigError(place, "there is no such value") from None
            return default

    def origins(self, path: str) -> frozenset[str]:
        """Return the names of the layers that the value at a path was made from.

        Raises ConfigError where there is no such value.
        """
        self.get(path)
        place = _place(path)
        below = {name for leaf, name in self._origins.items() if leaf[: len(place)] == place}
        while place and not below:
            place = place[:-1]
            below = {name for leaf, name in self._origins.items() if leaf == place}
        return frozenset(below)

    def as_dict(self) -> dict[str, Value]:
        """Return a copy of all values."""
        return deepcopy(self._data)


def load(
    layers: Iterable[Layer],
    *,
    strategies: Mapping[str, ListStrategy] | None = None,
    environ: Mapping[str, str] | None = None,
    prefix: str = "APP",
) -> Config:
    """Merge layers, the strongest last, let the environment override them, fill in references.

    Raises ConfigError where any of it fails.
    """
    layers = list(layers)
    merged = merge(layers, strategies or {})
    if environ is not None:
        layers += read_environment(environ, prefix, merged.data)
        merged = merge(layers, strategies or {})
    return Config(interpolate(merged.data), merged.origins)


def _place(text: str) -> Path:
    try:
        return parse_path(text)
    except ValueError as error:
        raise ConfigError((), str(error)) from None
