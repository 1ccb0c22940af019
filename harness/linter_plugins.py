"""What linters load out of the tree besides their settings: plug-ins and shared settings that the settings name. Pure.

It is code that runs while a change is judged, or rules that it is judged by, so it comes from the base like the settings.
"""

from __future__ import annotations

import configparser
import posixpath
import re
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.errors import SuiteError
from harness.tree import parents

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from harness.tree import File, Tree

_PYTHON = {
    "mypy": re.compile(r"(?:^|\.)mypy\.plugins$"),
    "flake8": re.compile(r"(?:^|\.)flake8:local-plugins\.(?:extension|report)$"),
    "pylint": re.compile(r"(?:^|\.)load[-_]plugins$"),
}
_SCRIPTS = frozenset({"eslint", "prettier", "tsc", "stylelint", "biome", "pyright"})
_EXTEND = {"ruff": re.compile(r"^(?:tool\.ruff\.)?extend$")}
_FLAKE8_PATHS = re.compile(r"(?:^|\.)flake8:local-plugins\.paths$")
_OPTION = re.compile(r"--?(?:c|p|config|config-file|rcfile|rulesdir|plugin|project|append-config)")
_IMPORT = re.compile(r"""(?:\bfrom|\bimport|\brequire(?:\.resolve)?|\bimport\.meta\.resolve)\s*\(?\s*["'](\.{1,2}/[^"']+)["']""")
_KEY = re.compile(r"""["']?(?:extends|plugins|parser)["']?\s*:\s*(\[[^\]]*\]|[^,}\n]*(?:\n\s*-[^\n]*)*)""")
_RELATIVE = re.compile(r"""\.{1,2}/[^"'\s,\]]+""")
_ENDINGS = ("", ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".json", "/index.js", "/index.ts")


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """Paths that come from the base: single files, and folders with all below them."""

    files: frozenset[str] = frozenset()
    folders: frozenset[str] = frozenset()

    def covers(self, path: str) -> bool:
        """Whether a path, of the base or new, is among them."""
        return path in self.files or not self.folders.isdisjoint(parents(path))


def held(base: Tree, settings: Tree, commands: Sequence[Sequence[str]]) -> Held:
    """What the command lines would load out of the base.

    A Python plug-in is held with its folder, since it can import whatever stands there; scripts file by file, with the scripts
    that they import by a relative path.

    Args:
        base: the tree before the change.
        settings: those of its files that configure linters.
        commands: the command lines; only their programs' settings are read.

    Raises:
        SuiteError: a Python plug-in stands at the root of the project, where every module of a change would be in its reach.
    """
    named = {path for argv in commands for path in _named(argv)}
    files = {path for path in named if base.get(path)}
    folders = {path for path in named if any(path in parents(one) for one, _ in base)} if named else set()
    read = settings.overlaid(base.matching(files))
    for program in {argv[0] for argv in commands}:
        if program in _PYTHON:
            folders |= {_folder(plugin, program) for path, file in read for plugin in _plugins(base, path, file, program)}
        elif program in _SCRIPTS:
            files |= set(_imported(base, read))
        elif program in _EXTEND:
            files |= set(_extended(base, read, _EXTEND[program]))
    return Held(files=frozenset(files), folders=frozenset(folders))


def _named(argv: Sequence[str]) -> Iterator[str]:
    """Paths that a command line names as settings or plug-ins, by option."""
    for word, following in zip(argv, (*argv[1:], ""), strict=True):
        option, equals, value = word.partition("=")
        if _OPTION.fullmatch(option):
            yield posixpath.normpath(value if equals else following)


def _folder(plugin: str, program: str) -> str:
    folder = posixpath.dirname(plugin)
    if not folder:
        raise SuiteError(
            f"{program} loads {plugin} from the project's root, where every module of a change could run as part of it; "
            f"move the plug-in to a folder of its own in the base, or run {program} with settings that name none"
        )
    return folder


def _plugins(base: Tree, path: str, file: File, program: str) -> Iterator[str]:
    """Files of the base that a settings file names as plug-ins of a Python program: by path, or as a module."""
    options = list(_options(path, file))
    paths = [value for key, values in options if _FLAKE8_PATHS.search(key) for value in values]
    roots = dict.fromkeys(posixpath.normpath(posixpath.join(posixpath.dirname(path), one)) for one in ("", "src", *paths))
    for name in (value for key, values in options if _PYTHON[program].search(key) for value in values):
        bare = name.rpartition("=")[2].strip().partition(":")[0]
        module = bare.replace(".", "/")
        wanted = (bare,) if bare.endswith(".py") else (f"{module}.py", f"{module}/__init__.py")
        for root in roots:
            yield from (found for one in wanted if base.get(found := posixpath.normpath(posixpath.join(root, one))))


def _extended(base: Tree, read: Tree, key: re.Pattern[str]) -> Iterator[str]:
    """Settings files of the base that others extend, and those that they extend."""

    def names(path: str, file: File) -> Iterator[str]:
        yield from (value for found, values in _options(path, file) if key.search(found) for value in values)

    return _reached(base, read, names, ("",))


def _imported(base: Tree, read: Tree) -> Iterator[str]:
    """Scripts and settings of the base that settings name by a relative path, and those that they import."""

    def names(path: str, file: File) -> Iterator[str]:
        yield from _IMPORT.findall(file.text)
        if not path.endswith(_ENDINGS[1:7]):
            yield from (name for value in _KEY.findall(file.text) for name in _RELATIVE.findall(value))

    return _reached(base, read, names, _ENDINGS)


def _reached(base: Tree, start: Tree, names: Callable[[str, File], Iterator[str]], endings: tuple[str, ...]) -> Iterator[str]:
    waiting, seen = list(start), set(start.by_path)
    while waiting:
        path, file = waiting.pop()
        for name in names(path, file):
            place = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
            for found in (f"{place}{ending}" for ending in endings):
                there = base.get(found)
                if there and found not in seen:
                    seen.add(found)
                    waiting.append((found, there))
                    yield found


def _options(path: str, file: File) -> Iterator[tuple[str, list[str]]]:
    """(dotted name, values) of a TOML or INI file; nothing of another."""
    if path.endswith(".toml"):
        try:
            yield from _flat("", tomllib.loads(file.text))
        except tomllib.TOMLDecodeError:
            return  # the linter itself will say what is wrong with it
        return
    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read_string(file.text)
    except configparser.Error:
        return
    for section in parser.sections():
        for key, value in parser.items(section):
            yield f"{section}.{key}", [part.strip() for part in re.split(r"[,\n]", value) if part.strip()]


def _flat(name: str, value: object) -> Iterator[tuple[str, list[str]]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _flat(f"{name}.{key}".removeprefix("."), inner)
    elif isinstance(value, str):
        yield name, [part.strip() for part in value.split(",")]
    elif isinstance(value, list):
        yield name, [str(one) for one in value]
