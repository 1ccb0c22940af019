"""How a project's linter is run, and which files linters are configured by: those come from the base.

A change cannot switch a rule off by editing them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.linter_plugins import held
from harness.tree import matches

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.linter_plugins import Held
    from harness.tree import Tree

LINTER_FILES = (
    "**/pyproject.toml",
    "**/setup.cfg",
    "**/tox.ini",
    "**/ruff.toml",
    "**/.ruff.toml",
    "**/.editorconfig",
    "**/.ignore",  # ruff walks like ripgrep, and obeys its ignore files
    "**/.flake8",
    "**/pylintrc",
    "**/.pylintrc",
    "**/pylintrc.toml",
    "**/.pylintrc.toml",
    "**/mypy.ini",
    "**/.mypy.ini",
    "**/pyrightconfig.json",
    "**/eslint.config.*",
    "**/.eslintrc",
    "**/.eslintrc.*",
    "**/.eslintignore",
    "**/.prettierrc",
    "**/.prettierrc.*",
    "**/.prettierignore",
    "**/prettier.config.*",
    "**/.stylelintrc",
    "**/.stylelintrc.*",
    "**/stylelint.config.*",
    "**/biome.json",
    "**/biome.jsonc",
    "**/tsconfig.json",
    "**/tsconfig.*.json",
    "**/jsconfig.json",
)
# They configure much else, so that an edit is no offence; what linters read of them is the base's all the same: how Node.js
# loads a linter's settings, and the packages that those import.
_BESIDE = ("**/package.json", "**/node_modules/**")


def plugins_of(base: Tree, commands: Sequence[Sequence[str]]) -> Held:
    """What the command lines would load out of the base besides the linters' own files.

    Raises:
        SuiteError: a plug-in that cannot be told from the project, see `linter_plugins.held`.
    """
    return held(base, base.matching(LINTER_FILES), commands)


def governed(base: Tree, after: Tree, commands: Sequence[Sequence[str]] = ()) -> Tree:
    """The tree after a change under the base's linter settings, and with the base's plug-ins for the linters to be run.

    A base's file stands even where the change has a folder; what the change has put among them is left out.

    Raises:
        SuiteError: as `plugins_of`.
    """
    plugins = plugins_of(base, commands)

    def ours(path: str) -> bool:
        return matches(path, (*LINTER_FILES, *_BESIDE)) or plugins.covers(path)

    kept = type(after)(files=tuple((path, file) for path, file in after if not ours(path)))
    return kept.overlaid(type(base)(files=tuple((path, file) for path, file in base if ours(path))))


def ruff_commands(version: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The command lines of ruff's linter and formatter over the folder that they are run in, for a version such as 0.17.6.

    The formatter has had machine-readable output since 0.14 (before 0.16 it falls back to text by itself).
    """
    whole = ("--no-cache", "--force-exclude", "--no-respect-gitignore", ".")
    parts = tuple(int(part) if part.isdigit() else 0 for part in version.split("."))
    output = ("--output-format=json",) if parts >= (0, 14) else ()
    return ("ruff", "check", "--output-format=json", *whole), ("ruff", "format", "--check", *output, *whole)
