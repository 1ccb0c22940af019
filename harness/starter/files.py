"""Writes a team's first files: settings, baseline, reviewers, nightly workflow. Nothing that is there is ever changed."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from harness.errors import ConfigError, InputError
from harness.skill_io import read_skill
from harness.starter.settings import settings_file
from harness.tree import Tree
from harness.tree_io import read_tree

if TYPE_CHECKING:
    from collections.abc import Iterable

    from harness.starter.project import Found

WORKFLOW = ".github/workflows/harness-nightly.yml"
IGNORED = ".harness/"
# What a checkout of the harness ships beside its package, for a team that has none of its own yet.
SHIPPED = Path(__file__).parents[2]
_DELIVERIES = {"AGENTS.md": "agents_md", "CLAUDE.md": "claude_md"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Files to write, by path relative to the repository, and where the skill and the suite will be."""

    files: Tree
    skill: Path
    suite: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """Paths written, and those left as they were because they were there."""

    new: tuple[str, ...]
    kept: tuple[str, ...]


def plan(found: Found, skill: Path | None, suite: Path | None) -> Plan:
    """What would be written. Instructions are improved where they lie: the ledger keeps their first text as generation 0.

    Args:
        found: the repository.
        skill: the instructions to start from, relative to the repository; those found first unless given.
        suite: the suite to use; one of the repository's, else the bundled one.

    Raises:
        SkillError: the instructions cannot be read as a skill.
        ConfigError: something shipped is needed and not here.
    """
    source = skill or next(iter(found.skills), None)
    start = Tree() if source else _below("skills/coding", read_tree(_shipped("skills/coding")))
    entry = read_skill(found.root / source).entry if source else "SKILL.md"
    place = source or Path("skills/coding")
    chosen = suite or next(iter(found.suites), None) or _shipped("task_suites/pocket")
    settings: dict[str, dict[str, object]] = {
        "skill": {"path": place},
        "suite": {"path": chosen},
        "agent": {"delivery": _DELIVERIES.get(entry, "skill")},
        "gates.review": {"reviewers": Path("reviewers")},
        "output": {"strategy": "branches" if found.is_git else "snapshots"},
    }
    workflow = files("harness.starter").joinpath("templates/nightly.yml").read_bytes()
    written = Tree.of({"harness.toml": settings_file(settings), WORKFLOW: workflow})
    reviewers = _below("reviewers", read_tree(_shipped("reviewers")))
    return Plan(files=written.overlaid(reviewers).overlaid(start), skill=place, suite=chosen)


def write(root: Path, planned: Plan) -> Written:
    """Write the planned files that are not there yet, and have git ignore the state folder.

    Raises:
        InputError: a file stands where a folder is needed, and nothing was written; or one cannot be written, and those before
            it are there.
    """
    _require_room(root, [name for name, _ in planned.files])
    new, kept = [], []
    for name, file in planned.files:
        path = root / name
        if path.exists():
            kept.append(name)
            continue
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(file.content)
        except OSError as error:
            raise InputError(f"{path}: cannot be written: {error.strerror}") from error
        new.append(name)
    ignore = root / ".gitignore"
    text = ignore.read_text(encoding="utf-8", errors="surrogateescape") if ignore.is_file() else ""
    if IGNORED not in text.splitlines():
        with ignore.open("a", encoding="utf-8") as end:
            end.write(("" if text.endswith("\n") or not text else "\n") + f"{IGNORED}\n")
        new.append(".gitignore")
    return Written(new=tuple(new), kept=tuple(kept))


def _require_room(root: Path, names: Iterable[str]) -> None:
    for name in names:
        nearest = next(folder for folder in (root / name).parents if folder.exists())
        if not nearest.is_dir():
            raise InputError(f"{nearest}: is a file, and {name} must lie below it; move it away (nothing was written)")
    if (root / ".gitignore").is_dir():
        raise InputError(f"{root / '.gitignore'}: is a folder, and must be git's list; move it away (nothing was written)")


def _below(folder: str, tree: Tree) -> Tree:
    return Tree.of({f"{folder}/{path}": file for path, file in tree})


def _shipped(name: str) -> Path:
    path = SHIPPED / name
    if not path.exists():
        raise ConfigError(f"{path}: not here; {name} comes with a checkout of the harness, so run harness init from one")
    return path
