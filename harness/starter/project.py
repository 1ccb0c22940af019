"""What a team's repository has that the harness builds on: instruction files, tests, linters, CONTRIBUTING, suites."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.skill import ENTRIES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

# Where agents look for instructions, most specific first: folders of skills, then single files.
SKILL_FOLDERS = ("skills", ".claude/skills", ".agents/skills")
SINGLE = tuple(name for name in ENTRIES if name != "SKILL.md")
CONTRIBUTING = ("CONTRIBUTING.md", ".github/CONTRIBUTING.md", "docs/CONTRIBUTING.md", "CONTRIBUTING.rst")
# A tool is there when one of its files is, or its table in pyproject.toml.
TESTS = {"pytest": ("pytest.ini", "tests/conftest.py", "conftest.py"), "tox": ("tox.ini",), "nox": ("noxfile.py",)}
LINTERS: Mapping[str, tuple[str, ...]] = {
    "ruff": ("ruff.toml", ".ruff.toml"),
    "black": (),
    "mypy": ("mypy.ini", ".mypy.ini"),
    "flake8": (".flake8",),
    "pylint": (".pylintrc", "pylintrc"),
    "isort": (".isort.cfg",),
    "pyright": ("pyrightconfig.json",),
    "eslint": ("eslint.config.js", "eslint.config.mjs", ".eslintrc.json", ".eslintrc.js", ".eslintrc.cjs"),
    "pre-commit": (".pre-commit-config.yaml",),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a repository has. Paths are relative to `root`; `skills` are folders with SKILL.md, or single instruction files."""

    root: Path
    skills: tuple[Path, ...]
    tests: tuple[str, ...]
    linters: tuple[str, ...]
    contributing: Path | None
    suites: tuple[Path, ...]
    is_git: bool


def look(root: Path) -> Found:
    """Look at a repository's folder. A pyproject.toml that is not TOML counts as none: its own tools will say so."""
    tables = _tables(root)
    found = (root / name for name in CONTRIBUTING)
    return Found(
        root=root,
        skills=tuple(path.relative_to(root) for path in _skills(root)),
        tests=_tools(root, TESTS, tables) or (("pytest",) if any(root.glob("tests/test_*.py")) else ()),
        linters=_tools(root, LINTERS, tables),
        contributing=next((path.relative_to(root) for path in found if path.is_file()), None),
        suites=tuple(sorted(path.parent.relative_to(root) for path in root.glob("task_suites/*/suite.toml"))),
        is_git=(root / ".git").exists(),
    )


def _skills(root: Path) -> Iterator[Path]:
    for folder in SKILL_FOLDERS:
        yield from sorted(path.parent for path in (root / folder).glob("*/SKILL.md"))
    yield from (root / name for name in SINGLE if (root / name).is_file())


def _tools(root: Path, known: Mapping[str, tuple[str, ...]], tables: frozenset[str]) -> tuple[str, ...]:
    return tuple(tool for tool, files in known.items() if tool in tables or any((root / name).is_file() for name in files))


def _tables(root: Path) -> frozenset[str]:
    try:
        return frozenset(tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8")).get("tool", {}))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        return frozenset()
