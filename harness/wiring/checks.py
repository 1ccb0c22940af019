"""Everything that a run reads, looked at piece by piece, so that each fault is told by itself: what `harness doctor` shows.

A run itself stops at the first fault (`inputs.read_inputs`); whoever makes a repository ready wants to hear of all.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import git

from harness.config import REHEARSAL
from harness.counted import counted
from harness.errors import ConfigError, HarnessError
from harness.review.personas import load_personas
from harness.skill_io import read_skill
from harness.style.measure import StyleInstrument
from harness.suites.admit import require_admitted
from harness.suites.catalog import load_suite
from harness.task import Split
from harness.wiring.delivered import check_delivery
from harness.wiring.inputs import (
    check_agent,
    check_holdout,
    check_models,
    has_key,
    prices_of,
    provisional_seats,
    read_suite,
    suite_folders,
)
from harness.wiring.publishing import usable_branch

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from harness.config import Config
    from harness.review.personas import Persona
    from harness.task import Suite

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One thing that a run reads: what was found, or the fault with what to do."""

    name: str
    well: bool
    found: str


def pieces(config: Config) -> tuple[Piece, ...]:
    """Every piece in the order of a run. What could not be read is told once, and what rests on it is left out."""
    found: list[Piece] = []
    skill = _look(found, "skill", lambda: read_skill(config.skill.path), lambda it: f"{it.name} {it.id[:12]}")
    suite = _look(found, "suite", lambda: read_suite(config), _counts)
    if suite:
        _look(found, "rule packs", lambda: StyleInstrument(suite), lambda _: ", ".join(name for name, _ in suite.packs) or "none")
        _look(
            found,
            "split",
            partial(check_holdout, config, suite),
            lambda _: counted(len(suite.split(Split.HOLDOUT)), "holdout task decides", "holdout tasks decide"),
        )
        _look(
            found,
            "admission",
            lambda: _admitted(config),
            lambda count: counted(count, "task stands as admitted", "tasks stand as admitted"),
        )
    cli = _look(
        found, "agent", lambda: check_agent(config), lambda cli: f"{config.agent.kind} {cli.version if cli else ''}".strip()
    )
    if skill and suite:
        _look(found, "delivery", partial(check_delivery, config.agent.delivery, skill, suite, cli), str)
    personas = _look(found, "reviewers", lambda: load_personas(config.gates.review.reviewers), _names)
    if personas and has_key(config):  # a key that is missing is told by itself
        _look(found, "models", partial(check_models, config, personas, prices_of(config)), lambda _: _models(config, personas))
        _look(found, "calibration", lambda: provisional_seats(config, personas), lambda out: _standing(config, out, personas))
    _look(found, "output", lambda: _output(config), lambda told: told)
    return tuple(found)


def _look(found: list[Piece], name: str, read: Callable[[], T], told: Callable[[T], str]) -> T | None:
    try:
        got = read()
    except HarnessError as error:
        found.append(Piece(name=name, well=False, found=str(error)))
        return None
    found.append(Piece(name=name, well=True, found=told(got)))
    return got


def _names(personas: Sequence[Persona]) -> str:
    return ", ".join(persona.name for persona in personas)


def _counts(suite: Suite) -> str:
    splits = dict.fromkeys(task.split for task in suite.tasks)
    return f"{suite.id} {suite.version}: {', '.join(f'{len(suite.split(split))} {split}' for split in splits)}"


def _admitted(config: Config) -> int:
    suites = [(folder, load_suite(folder)) for folder in suite_folders(config)]
    for folder, suite in suites:
        require_admitted(folder, suite)
    return sum(len(suite.tasks) for _, suite in suites)


def _models(config: Config, personas: Sequence[Persona]) -> str:
    models = dict.fromkeys(config.model.reviewer or persona.model for persona in personas)
    return REHEARSAL if config.is_rehearsal else f"{config.model.id}, reviewers on {', '.join(models)}"


def _standing(config: Config, out: Mapping[str, str], personas: Sequence[Persona]) -> str:
    """A seat without a veto is no fault; it is told, since a calibration would give it one."""
    full = f"{len(personas) - len(out)} of {len(personas)} reviewers with their full vote"
    free = ["in a rehearsal also those never calibrated"] if config.is_rehearsal else []
    return "; ".join([full, *free, *(f"{name}: {why}" for name, why in out.items())])


def _output(config: Config) -> str:
    """Where promotions go, and that no commit of the team's takes the ledger along.

    Raises:
        ConfigError: the branch cannot be used, or git does not ignore the state folder of a repository.
    """
    branch, state = usable_branch(config), config.output.state
    if _would_be_committed(state):
        raise ConfigError(f"{state}: git does not ignore it, so that a commit would take the ledger along; add it to .gitignore")
    return f"{config.output.strategy}{f', on {branch.name}' if branch else ''}; state in {state}"


def _would_be_committed(state: Path) -> bool:
    try:
        repo = git.Repo(state.resolve().parent, search_parent_directories=True)
    except (git.InvalidGitRepositoryError, git.NoSuchPathError):
        return False
    with repo:
        root = repo.working_tree_dir
        return bool(root) and state.resolve().is_relative_to(str(root)) and not repo.ignored(f"{state.resolve()}/")
