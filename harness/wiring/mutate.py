"""What mutates a repository or a folder: the tree read, the lab opened, the suite admitted and written, whole or not at all."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from harness.counted import counted
from harness.errors import InputError
from harness.executors.local import LocalExecutor
from harness.own_files import own
from harness.suites.admit import RECORD, write_record
from harness.suites.emit import emit_suite
from harness.suites.equip import Equipper
from harness.suites.files import SuiteFile
from harness.suites.history import Repository, cloned, is_address
from harness.suites.mining import project_name
from harness.suites.mutating import Mutator, Plan, Tried, split_by_cluster
from harness.suites.rejected import Reason
from harness.suites.unfinished import Unfinished
from harness.tree_io import read_tree
from harness.wiring.images import admissions
from harness.wiring.lab import TOOLS, lab

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from harness.config import Config
    from harness.evaluate import Progress
    from harness.suites.admit import Admission
    from harness.suites.emit import Entry
    from harness.task import Suite
    from harness.tree import Tree


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What was asked for: at most `limit` tasks of a repository (path or address) or folder, in the folder `out`."""

    source: str
    out: Path
    limit: int
    private: bool
    harmless: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """What came of it: the suite, None where no mutant was kept, and every mutant that was tried."""

    suite: Suite | None
    tried: tuple[Tried, ...]


def mutate(config: Config, wanted: Wanted, progress: Progress) -> Made:
    """Mutate, admit, and write the suite of what was admitted; a stopped call goes on from what is known of its mutants.

    Raises:
        InputError: there is nothing to mutate at the source, or `out` stands already.
        Rejected: the tree's own tests cannot be run here.
        DockerUnavailableError: the engine cannot be used.
    """
    if wanted.out.exists():
        raise InputError(f"{wanted.out}: is there already; name another folder by --out, or remove it")
    if not next(folder for folder in wanted.out.resolve().parents if folder.exists()).is_dir():
        raise InputError(f"{wanted.out}: lies below a file; name another folder by --out")
    tree = healthy_tree(wanted.source)
    name = project_name(tree, Path(wanted.source).resolve().name)
    plan = Plan(project=name, limit=wanted.limit, seed=config.seed, deny=config.suite.deny, harmless=wanted.harmless)
    unfinished = Unfinished(wanted.out, plan, TOOLS)
    if len(unfinished):
        progress.note(f"a run that was stopped left {counted(len(unfinished), 'mutant')}: those of this tree are not tried again")
    with lab(config, progress) as place:
        mutator = Mutator(lab=place, equipper=Equipper(place), plan=plan, memory=unfinished, tell=progress.note)
        found = mutator.run(mutator.healthy(tree), LocalExecutor(config.jobs))
    kept = split_by_cluster(one.entry for one in found if one.entry)
    if not kept:
        unfinished.forget()
        return Made(suite=None, tried=found)
    wanted.out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=wanted.out.parent, prefix=".mutants-") as folder:
        fresh = Path(folder) / wanted.out.name
        suite, refused = _admitted(config, fresh, kept, _head(wanted, name), progress)
        if suite:
            fresh.replace(wanted.out)
    unfinished.forget()
    return Made(suite=suite, tried=tuple(_after(one, refused) for one in found))


def healthy_tree(source: str) -> Tree:
    """The tree of a repository's HEAD, or of a plain folder such as an unpacked source distribution.

    Raises:
        InputError: there is no such folder, an empty one, or a repository that cannot be read.
    """
    if is_address(source):
        with tempfile.TemporaryDirectory() as place:
            return _newest(cloned(source, Path(place)))
    folder = Path(source)
    if (folder / ".git").exists() or ((folder / "HEAD").is_file() and (folder / "objects").is_dir()):
        return _newest(folder)
    tree = own(read_tree(folder))
    if not len(tree):
        raise InputError(f"{folder}: an empty folder; name a git repository or an unpacked source distribution")
    return tree


def _newest(folder: Path) -> Tree:
    repository = Repository(folder)
    return repository.tree(repository.head())


def _head(wanted: Wanted, project: str) -> SuiteFile:
    return SuiteFile(
        id=wanted.out.name, version="1.0", description=f"Mutants of {project}", private=wanted.private, tools=dict(TOOLS)
    )


def _admitted(
    config: Config, folder: Path, entries: Sequence[Entry], head: SuiteFile, progress: Progress
) -> tuple[Suite | None, Mapping[str, Admission]]:
    """The suite of all entries that are admitted, written with its record; and what was refused, by task."""
    suite = emit_suite(folder, entries, head)
    with admissions(config, suite, progress) as admit:
        progress.note(f"admission of {counted(len(suite.tasks), 'task')}")
        found = admit.run(suite.tasks)
    refused = {one.task: one for one in found if not one.admitted}
    good = [entry for entry in entries if entry.task.id not in refused]
    if not good:
        return None, refused
    if refused:
        shutil.rmtree(folder)
        suite = emit_suite(folder, good, head)
    write_record(folder / RECORD, suite, [one for one in found if one.admitted])
    return suite, refused


def _after(tried: Tried, refused: Mapping[str, Admission]) -> Tried:
    against = refused.get(tried.entry.task.id) if tried.entry else None
    return replace(tried, entry=None, reason=Reason.ADMISSION, detail=against.reasons[0]) if against else tried
