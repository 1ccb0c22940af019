"""Filling in references between values, such as "http://${server.host}/"."""

import re

from confmerge.errors import ConfigError
from confmerge.paths import Path, Value, format_path, look_up, parse_path

_REFERENCE = re.compile(r"\$\{(?P<path>[^}]*)\}")
_REFERENCE_OR_ESCAPE = re.compile(rf"\$\$\{{|{_REFERENCE.pattern}")


def interpolate(data: dict[str, Value]) -> dict[str, Value]:
    """Return the configuration with all references filled in.

    A text that is one reference takes the value referred to, of whatever type; elsewhere
    the value becomes part of the text. "$${" stands for "${".

    Raises ConfigError where a reference leads nowhere, into a circle, or, within a
    longer text, to a dict or a list.
    """
    filling = _Filling(data)
    return {key: filling.fill(value, (key,)) for key, value in data.items()}


class _Filling:
    """One pass over a configuration; knows the texts that are being filled in."""

    def __init__(self, data: dict[str, Value]) -> None:
        self._data = data
        self._open: list[Path] = []

    def fill(self, value: Value, path: Path) -> Value:
        """Return the value at a path, filled in."""
        if isinstance(value, dict):
            return {key: self.fill(inner, (*path, key)) for key, inner in value.items()}
        if isinstance(value, list):
            return [self.fill(inner, (*path, index)) for index, inner in enumerate(value)]
        if isinstance(value, str):
            return self._fill_text(value, path)
        return value

    def _fill_text(self, text: str, path: Path) -> Value:
        if path in self._open:
            circle = [*self._open[self._open.index(path) :], path]
            words = " -> ".join(format_path(step) for step in circle)
            raise ConfigError(path, f"references run in a circle: {words}")
        self._open.append(path)
        whole = _REFERENCE.fullmatch(text)
        if whole is not None:
            filled = self._follow(whole, path)
        else:
            filled = _REFERENCE_OR_ESCAPE.sub(lambda match: self._part(match, path), text)
        self._open.pop()
        return filled

    def _part(self, match: re.Match[str], path: Path) -> str:
        if match["path"] is None:
            return "${"
        value = self._follow(match, path)
        if isinstance(value, (dict, list)):
            raise ConfigError(path, f"{match[0]} is no single value, but part of a text")
        if isinstance(value, bool):
            return "true" if value else "false"
        return "" if value is None else str(value)

    def _follow(self, match: re.Match[str], path: Path) -> Value:
        try:
            target = parse_path(match["path"])
            value = look_up(self._data, target)
        except (LookupError, ValueError):
            raise ConfigError(path, f"{match[0]} refers to nothing") from None
        return self.fill(value, target)
