"""A project's own pytest settings, as far as they carry over to a grading or tell where its tests are. Pure."""

from __future__ import annotations

import configparser
import posixpath
import shlex
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from harness.tree import File, Tree


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Import path relative to the project's root, and the lines of the ini file: markers, warning filters and asyncio mode.

    `testpaths` are where the project's tests are, as patterns of folders or files; none where it does not say, or says the root.
    """

    import_path: tuple[str, ...]
    testpaths: tuple[str, ...]
    ini: str


def pytest_settings(base: Tree) -> Settings:
    """Of the first configuration that pytest would read."""
    found = next((section for name in _READERS if (section := _section(base, name))), {})
    lines = []
    for key in ("markers", "filterwarnings", "asyncio_mode"):
        if values := found.get(key):
            lines += [f"{key} ="] + [f"    {value}" for value in values]
    folders = dict.fromkeys((*found.get("pythonpath", ()), "src", "."))  # an installation would have the last two found
    ini = "\n".join(["[pytest]", *lines, ""])
    places = tuple(posixpath.normpath(place) for place in found.get("testpaths", ()))
    return Settings(import_path=tuple(folders), testpaths=() if "." in places else places, ini=ini)


def _section(base: Tree, name: str) -> Mapping[str, tuple[str, ...]]:
    file = base.get(name)
    return _READERS[name](file) if file else {}


def _toml(file: File) -> Mapping[str, tuple[str, ...]]:
    try:
        tool = tomllib.loads(file.text).get("tool", {})
    except tomllib.TOMLDecodeError:
        return {}
    section = tool.get("pytest", {}).get("ini_options", {})
    return {key: _values(key, value) for key, value in section.items()}


def _values(key: str, value: object) -> tuple[str, ...]:
    """A setting's values: lists of paths may stand in one text, divided as a shell does it, others line by line."""
    if not isinstance(value, str):
        return tuple(str(item) for item in (value if isinstance(value, list) else [value]))
    if key not in {"pythonpath", "testpaths"}:
        return tuple(line for line in value.splitlines() if line)
    try:
        return tuple(shlex.split(value))
    except ValueError:
        return tuple(value.split())


def _ini(section: str, file: File) -> Mapping[str, tuple[str, ...]]:
    parser = configparser.ConfigParser(interpolation=None)
    try:
        parser.read_string(file.text)
    except configparser.Error:
        return {}
    if not parser.has_section(section):
        return {}
    return {key: _values(key, value) for key, value in parser.items(section)}


_READERS: dict[str, Callable[[File], Mapping[str, tuple[str, ...]]]] = {
    "pytest.ini": lambda file: _ini("pytest", file),
    "pyproject.toml": _toml,
    "tox.ini": lambda file: _ini("pytest", file),
    "setup.cfg": lambda file: _ini("tool:pytest", file),
}
