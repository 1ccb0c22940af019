"""Laying layers on top of each other, and noting which layer each value came from."""

import json
from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from enum import Enum

from confmerge.paths import Path, Value, format_path


class ListStrategy(Enum):
    """What becomes of a list when a later layer has a list in its place."""

    REPLACE = "replace"
    APPEND = "append"
    UNIQUE = "unique"


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """One source of configuration, such as a file; `name` tells people which."""

    name: str
    data: Mapping[str, Value]


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """The outcome of merging; `origins` maps the path of each leaf to a layer's name.

    Leaves are the values that hold no others: scalars, and empty dicts and lists.
    """

    data: dict[str, Value]
    origins: dict[Path, str]


def merge(layers: Iterable[Layer], strategies: Mapping[str, ListStrategy]) -> Merged:
    """Merge layers, the strongest last.

    Dicts are merged key by key. Lists follow the strategy for the text of their path, or
    replace what was there, as all other values do. The layers are left as they are.
    """
    merging = _Merging(strategies)
    for layer in layers:
        for key, value in layer.data.items():
            merging.put(merging.data, key, value, (), layer.name)
    return Merged(data=merging.data, origins=merging.origins)


class _Merging:
    """The configuration as far as it has been merged."""

    def __init__(self, strategies: Mapping[str, ListStrategy]) -> None:
        self.data: dict[str, Value] = {}
        self.origins: dict[Path, str] = {}
        self._strategies = strategies

    def put(
        self, target: dict[str, Value], key: str, new: Value, parent: Path, layer: str
    ) -> None:
        """Lay `new` over what `target`, the dict at `parent`, has at `key`."""
        path = (*parent, key)
        old = target.get(key)
        if isinstance(old, dict) and isinstance(new, dict):
            self._fill_up(path, new)
            for inner, value in new.items():
                self.put(old, inner, value, path, layer)
        elif isinstance(old, list) and isinstance(new, list) and self._adds(path):
            self._fill_up(path, new)
            self._extend(old, new, path, layer)
        else:
            self._forget(path)
            target[key] = deepcopy(new)
            self._note(path, new, layer)

    def _adds(self, path: Path) -> bool:
        return self._strategy(path) is not ListStrategy.REPLACE

    def _strategy(self, path: Path) -> ListStrategy:
        return self._strategies.get(format_path(path), ListStrategy.REPLACE)

    def _extend(self, old: list[Value], new: list[Value], path: Path, layer: str) -> None:
        if self._strategy(path) is ListStrategy.UNIQUE:
            new = _missing_from(old, new)
        for item in new:
            self._note((*path, len(old)), item, layer)
            old.append(deepcopy(item))

    def _note(self, path: Path, value: Value, layer: str) -> None:
        """Note the origin of all leaves of a value."""
        children: Iterable[tuple[str | int, Value]] = ()
        if isinstance(value, dict):
            children = value.items()
        elif isinstance(value, list):
            children = enumerate(value)
        leaf = True
        for step, child in children:
            self._note((*path, step), child, layer)
            leaf = False
        if leaf:
            self.origins[path] = layer

    def _forget(self, path: Path) -> None:
        """Drop the origins of a value that is about to be replaced."""
        for known in [known for known in self.origins if known[: len(path)] == path]:
            del self.origins[known]

    def _fill_up(self, path: Path, new: Value) -> None:
        """Drop the origin of an empty dict or list that is about to be filled."""
        if new:
            self.origins.pop(path, None)


def _missing_from(old: list[Value], new: list[Value]) -> list[Value]:
    """Return the items of `new` that `old` lacks, each of them once."""
    known = {_identity(item) for item in old}
    missing = []
    for item in new:
        identity = _identity(item)
        if identity not in known:
            known.add(identity)
            missing.append(item)
    return missing


def _identity(value: Value) -> str:
    """Return a text that equal values share; 1, 1.0 and True are not equal here."""
    return json.dumps(value, sort_keys=True, default=repr)
