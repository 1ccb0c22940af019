"""Attempts to switch rules off instead of keeping them: suppression comments, and edits of what configures the linter.

Rules, excludes and per-file ignores come from the base, so an edit of them has no effect; it is a violation by itself.
"""

from __future__ import annotations

import configparser
import re
import tomllib
from typing import TYPE_CHECKING

from harness.evidence import Finding
from harness.linter_files import LINTER_FILES
from harness.linter_plugins import Held
from harness.python_source import comments
from harness.style.checks import deltas
from harness.style.compare import compared, key
from harness.tree import matches

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.style.checks import FileDelta, Renames
    from harness.tree import File, Tree

SUPPRESSION = "suppression"
CONFIGURATION = "lint-configuration"
NONE = Held()

_SCRIPTS = (".js", ".cjs", ".mjs", ".jsx", ".ts", ".cts", ".mts", ".tsx", ".vue")
_DIRECTIVE = re.compile(
    r"#\s*(?:noqa\b|(?:ruff|flake8)\s*[:=]|(?:mypy|type)\s*:\s*ignore|pyright\s*:\s*(?:ignore|basic)|fmt\s*:\s*(?:off|skip)|yapf\s*:\s*disable|isort\s*:\s*(?:skip|off)|pylint\s*:\s*disable)"
    r"|(?://|/\*)\s*(?:eslint-disable|eslint\s+\S+\s*:|@ts-(?:ignore|nocheck|expect-error)|prettier-ignore)",
    re.IGNORECASE,
)
_SHARED = frozenset({"pyproject.toml", "setup.cfg", "tox.ini"})  # they configure much else besides linters
_LINTERS = ("ruff", "mypy", "flake8", "black", "isort", "pylint", "pydocstyle", "pycodestyle", "pyright")


def new_suppressions(
    base: Tree, after: Tree, reference: Tree, renames: Renames = (), plugins: Held = NONE
) -> tuple[Finding, ...]:
    """Suppressions, and edits of settings and of `plugins`, that the change adds, but for those that the reference needs too."""
    needed = compared(*_both(deltas(base, reference), plugins))[0]
    before, now = _both(deltas(base, after, renames), plugins)
    return compared((*before, *needed), now)[0]


def _both(change: tuple[FileDelta, ...], plugins: Held) -> tuple[list[Finding], list[Finding]]:
    before = [finding for file in change for finding in _directives(file.path, file.old)]
    now = [finding for file in change for finding in _directives(file.path, file.new)]
    now += [_finding(file.path, 1, CONFIGURATION, "settings", _EDITED) for file in change if _configures(file, plugins)]
    return before, now


_EDITED = "edits what the linter is configured by or loads; the base's stays in force"


def _directives(path: str, file: File | None) -> Iterator[Finding]:
    for line, comment in _comments(path, file) if file else ():
        match = _DIRECTIVE.search(comment)
        if match:
            words = " ".join(comment[match.start() :].split())
            yield _finding(path, line, SUPPRESSION, words, f"switches a rule off: {words}")


def _comments(path: str, file: File) -> Iterator[tuple[int, str]]:
    """A notebook is read line by line: its cells are strings of a JSON document. So are scripts, whose comments eslint obeys."""
    if path.endswith((".py", ".pyi")):
        yield from ((row, comment) for row, _, comment in comments(file.text))
    elif path.endswith((".ipynb", *_SCRIPTS)):
        yield from enumerate(file.text.splitlines(), start=1)


def _configures(file: FileDelta, plugins: Held) -> bool:
    name = file.path.rpartition("/")[2]
    if name in _SHARED:
        read = _toml if name.endswith(".toml") else _ini
        return read(file.old) != read(file.new)
    return any(matches(path, LINTER_FILES) or plugins.covers(path) for path in (file.path, file.old_path))


def _toml(file: File | None) -> object:
    """What linters read of a pyproject: their own tables, and the Python version; the text itself where it is not TOML."""
    if file is None:
        return {}, None
    try:
        document = tomllib.loads(file.text)
    except tomllib.TOMLDecodeError:
        return file.text
    tool, project = document.get("tool"), document.get("project")
    tables = {name: tool[name] for name in _LINTERS if name in tool} if isinstance(tool, dict) else {}
    return tables, project.get("requires-python") if isinstance(project, dict) else None


def _ini(file: File | None) -> object:
    """What linters read of a setup.cfg or tox.ini: sections that begin with their names; the text where it is no such file."""
    parser = configparser.RawConfigParser()
    try:
        parser.read_string(file.text if file else "")
    except configparser.Error:
        return file.text if file else ""
    return {name: dict(parser.items(name)) for name in parser.sections() if name.startswith(_LINTERS)}


def _finding(path: str, line: int, rule: str, symbol: str, message: str) -> Finding:
    return Finding(rule=rule, path=path, line=line, message=message, key=key(path, rule, symbol))
