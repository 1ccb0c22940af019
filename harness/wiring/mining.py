"""A suite from a repository's history: opened, mined in containers, split and admitted; what was admitted is the suite."""

from __future__ import annotations

import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from harness.budget import Budget, Limit, Metered
from harness.counted import counted
from harness.executors.local import LocalExecutor
from harness.suites.admit import RECORD, Admission, write_record
from harness.suites.candidates import Outcome, require_own
from harness.suites.catalog import load_suite, load_task
from harness.suites.emit import suite_toml
from harness.suites.equip import Equipper
from harness.suites.files import SuiteFile
from harness.suites.history import Repository, cloned, is_address
from harness.suites.mining import Miner, Plan, project_name
from harness.suites.rejected import Reason
from harness.suites.splitting import Placed, apply_split, dated, placed, warnings
from harness.wiring.images import admissions
from harness.wiring.inputs import check_models, now_utc, prices_of
from harness.wiring.lab import TOOLS, lab
from harness.wiring.service import reader

if TYPE_CHECKING:
    from collections.abc import Callable

    from harness.config import Config
    from harness.evaluate import Progress
    from harness.ports import Model
    from harness.task import Suite

RUFF = ("ruff.toml", ".ruff.toml")


@dataclass(frozen=True, kw_only=True)
class Order:
    """What to mine: a path or an address, where to put it, shares of the split; `private` keeps text and code off pages."""

    repository: str
    out: Path | None
    since: str = ""
    limit: int | None = None
    holdout: float = 0.5
    vault: float = 0.0
    private: bool = True
    source: str = "mined"
    harmless: tuple[str, ...] = ()
    seconds: float = 60.0


@dataclass(frozen=True, kw_only=True)
class Mined:
    """What came of it: the suite (None where nothing was kept), all steps' outcomes, and what a person should know."""

    folder: Path
    project: str
    suite: Suite | None
    outcomes: tuple[Outcome, ...]
    places: tuple[Placed, ...]
    told: tuple[str, ...]


def mine(
    config: Config,
    order: Order,
    progress: Progress,
    tell: Callable[[Outcome], None],
    history: Callable[[Path], Repository] = Repository,
) -> Mined:
    """Mine, split and admit; `history` reads the repository.

    Raises:
        InputError: the repository, the shares or the folder are wrong; nothing was started.
        DockerUnavailableError: the engine cannot be used; what is known is written, and the same call goes on from there.
        UnavailableError: a live model without a key.
    """
    placed((), holdout=order.holdout, vault=order.vault)
    if not config.is_rehearsal:
        check_models(config, (), prices_of(config))
    with ExitStack() as stack:
        repository = history(_opened(order.repository, stack))
        steps = repository.steps(since=order.since)
        project = project_name(repository.tree(steps[0].id), _name(order.repository)) if steps else _name(order.repository)
        out = order.out or Path("task_suites") / project
        require_own(out, repository.steps())
        plan = Plan(
            out=out,
            project=project,
            limit=order.limit,
            since=order.since,
            today=now_utc().date().isoformat(),
            deny=config.suite.deny,
            harmless=order.harmless,
            seconds=order.seconds,
            tools=TOOLS,
            source=order.source,
        )
        model = _model(config, stack)
        place = stack.enter_context(lab(config, progress))
        miner = Miner(
            repository=repository, lab=place, equipper=Equipper(place), plan=plan, model=model, model_id=config.model.id
        )
        outcomes = miner.run(LocalExecutor(config.jobs), tell)
        style = _style(repository, steps[0].id) if steps else ""
    return assembled(
        config, order, Mined(folder=out, project=project, suite=None, outcomes=outcomes, places=(), told=(style,)), progress
    )


def _opened(name: str, stack: ExitStack) -> Path:
    if not is_address(name):
        return Path(name)
    return cloned(name, Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="harness-clone-"))))


def _name(repository: str) -> str:
    return Path(repository.rstrip("/")).resolve().name.removesuffix(".git")


def _model(config: Config, stack: ExitStack) -> Model | None:
    """Who writes statements: nobody in a rehearsal, whose stand-in reads no history; a template does."""
    if config.is_rehearsal:
        return None
    limit = Limit(name="run", usd=config.budget.max_usd)
    budget = Budget((limit,), max_hours=config.budget.max_hours, clock=time.monotonic)
    return Metered(stack.enter_context(reader(config)), (budget,), prices_of(config).cost)


def _style(repository: Repository, commit: str) -> str:
    """What judges style in the mined tasks, in words."""
    tree = repository.tree(commit)
    project = tree.get("pyproject.toml")
    own = any(tree.get(name) for name in RUFF) or (project is not None and "[tool.ruff" in project.text)
    return (
        "style: the repository's own ruff configuration"
        if own
        else "style: ruff's default rules, as the repository configures none"
    )


def assembled(config: Config, order: Order, found: Mined, progress: Progress) -> Mined:
    """The suite of all kept tasks, split and admitted; those that are not admitted are rejected after all.

    Raises:
        SuiteError: a task's folder is not as it was written.
        DockerUnavailableError: the engine cannot be used.
    """
    kept = [outcome.task for outcome in reversed(found.outcomes) if outcome.task]
    if not kept:
        return found
    suite = _written(found, kept, private=order.private)
    places = placed(dated(found.folder, suite), holdout=order.holdout, vault=order.vault)
    suite = apply_split(found.folder, places)
    with admissions(config, suite, progress) as admit:
        progress.note(f"admission of {counted(len(suite.tasks), 'task')}")
        admitted = admit.run(suite.tasks)
    refused = {one.task: one for one in admitted if not one.admitted}
    outcomes = tuple(_after(outcome, refused.get(outcome.task)) for outcome in found.outcomes)
    good = [name for name in kept if name not in refused]
    if not good:
        (found.folder / "suite.toml").unlink()
        return replace(found, outcomes=outcomes)
    if refused:
        suite = _written(found, good, private=order.private)
        places = placed(dated(found.folder, suite), holdout=order.holdout, vault=order.vault)
        suite = apply_split(found.folder, places)
        admitted = tuple(one for one in admitted if one.admitted)
    write_record(found.folder / RECORD, suite, admitted)
    told = (*found.told, *warnings(dated(found.folder, suite), places))
    return replace(found, suite=suite, outcomes=outcomes, places=places, told=told)


def _written(found: Mined, names: list[str], *, private: bool) -> Suite:
    """suite.toml over these task folders."""
    head = SuiteFile(
        id=found.project,
        version="1.0",
        description=f"{counted(len(names), 'task')} from the history of {found.project}",
        private=private,
        tools=dict(TOOLS),
    )
    hashes = {name: load_task(found.folder / "tasks" / name).id_hash for name in names}
    (found.folder / "suite.toml").write_text(suite_toml(head, hashes), encoding="utf-8")
    return load_suite(found.folder)


def _after(outcome: Outcome, refused: Admission | None) -> Outcome:
    if refused is None:
        return outcome
    log = "\n".join(refused.reasons)
    return outcome.model_copy(update={"task": "", "reason": Reason.ADMISSION, "detail": refused.reasons[0], "log": log})
