"""How a project's linter is run, and which files linters are configured by: those come from the base.

A change cannot switch a rule off by editing them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
)


def governed(base: Tree, after: Tree) -> Tree:
    """The tree after a change under the base's linter settings; a base's file stands even where the change has a folder."""
    ours = base.matching(LINTER_FILES)
    theirs = after.matching(LINTER_FILES).by_path
    kept = type(after)(files=tuple((path, file) for path, file in after if path not in theirs))
    return kept.overlaid(ours)


def ruff_commands(version: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The command lines of ruff's linter and formatter over the folder that they are run in, for a version such as 0.17.6.

    The formatter has had machine-readable output since 0.14 (before 0.16 it falls back to text by itself).
    """
    whole = ("--no-cache", "--force-exclude", "--no-respect-gitignore", ".")
    parts = tuple(int(part) if part.isdigit() else 0 for part in version.split("."))
    output = ("--output-format=json",) if parts >= (0, 14) else ()
    return ("ruff", "check", "--output-format=json", *whole), ("ruff", "format", "--check", *output, *whole)
