"""Reads suites and tasks from disk into values, and says what, where and what to do when one is not valid."""

from __future__ import annotations

import json
import tomllib
from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel, ValidationError

from harness.errors import InputError, SuiteError
from harness.suites.files import SamplesFile, SuiteFile, TaskFile
from harness.suites.harbor import dataset_tasks, read_dataset
from harness.suites.npm_lock import check_lock
from harness.suites.patch import PatchError, patched
from harness.task import Judge, Samples, Split, Suite, Task
from harness.tree_io import read_tree

if TYPE_CHECKING:
    from pathlib import Path

    from harness.tree import Tree

M = TypeVar("M", bound=BaseModel)


def load_suite(folder: Path) -> Suite:
    """The suite in a folder: `suite.toml`, `packs/*.toml`, `tasks/<id>/`, and where there is one a `package-lock.json`.

    A Harbor dataset, which has no suite.toml, is read as well.

    Raises:
        SuiteError: naming the file and what is wrong with it.
    """
    where = folder / "suite.toml"
    if not where.is_file():
        if dataset_tasks(folder):
            return read_dataset(folder)
        raise SuiteError(
            f"{where}: not found; name a folder that holds a suite.toml, such as task_suites/pocket, or a Harbor dataset"
        )
    head = read_toml(where, SuiteFile)
    tasks = tuple(load_task(folder / "tasks" / name) for name in head.tasks)
    for task in tasks:
        if head.tasks[task.id] != task.id_hash:
            raise SuiteError(f"{folder / 'tasks' / task.id}: content differs from the hash in {where}; run harness suite check")
    packs = tuple((name, _text(folder / path)) for name, path in sorted(head.packs.items()))
    unknown = sorted({task.pack for task in tasks if task.pack} - dict(packs).keys())
    if unknown:
        raise SuiteError(f"{where}: no rule pack named {unknown[0]!r}; known: {', '.join(dict(packs)) or 'none'}")
    tools = tuple(sorted(head.tools.items()))
    lock = _lock(folder / "package-lock.json", head.tools)
    return Suite(id=head.id, version=head.version, tasks=tasks, packs=packs, tools=tools, private=head.private, npm_lock=lock)


def _lock(path: Path, tools: dict[str, str]) -> str:
    if not path.is_file():
        return ""
    text = _text(path)
    check_lock(text, tools, str(path))
    return text


def load_task(folder: Path) -> Task:
    """One task folder in Harbor's format with `[metadata.harness]`.

    Raises:
        SuiteError: naming the file and what is wrong with it.
    """
    head = read_toml(folder / "task.toml", TaskFile)
    ours = head.metadata.harness
    base = _tree(folder / "environment/base", ours.base_hash)
    hidden = _tree(folder / "tests/overlay", ours.hidden_hash)
    reference = _reference(folder / "solution/change.patch", base, ours.reference_hash)
    samples = folder / "rehearsal/samples.toml"
    return Task(
        id=folder.name,
        project=ours.project,
        split=Split(ours.split),
        instruction=_text(folder / "instruction.md"),
        difficulty=ours.difficulty,
        kind=ours.kind,
        interface=ours.interface,
        base=base,
        reference=reference,
        hidden=hidden,
        fail_to_pass=_ids(folder / "tests/fail_to_pass.json"),
        pass_to_pass=_ids(folder / "tests/pass_to_pass.json"),
        pack=ours.pack,
        requirements=ours.requirements,
        judge=Judge(ours.judge),
        agent_seconds=head.agent.timeout_sec or 900.0,
        tests_seconds=head.verifier.timeout_sec or 60.0,
        samples=_samples(read_toml(samples, SamplesFile)) if samples.is_file() else None,
    )


def read_toml(path: Path, model: type[M]) -> M:
    """A TOML file as a model.

    Raises:
        SuiteError: if it is missing, not TOML, or does not fit the model; the first fault is named with its place.
    """
    try:
        return model.model_validate(tomllib.loads(_text(path)))
    except tomllib.TOMLDecodeError as error:
        raise SuiteError(f"{path}: not valid TOML: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise SuiteError(f"{path}: {place}: {first['msg']} ({error.error_count()} faults in all)") from error


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError as error:
        raise SuiteError(f"{path}: cannot be read: {error.strerror}") from error


def _tree(folder: Path, expected: str) -> Tree:
    try:
        tree = read_tree(folder)
    except InputError as error:
        raise SuiteError(str(error)) from error
    if tree.id != expected:
        raise SuiteError(f"{folder}: its files differ from the hash in task.toml; restore them or build the task again")
    return tree


def _reference(path: Path, base: Tree, expected: str) -> Tree:
    try:
        tree = patched(base, path.read_bytes().decode("utf-8", "surrogateescape"))
    except (OSError, PatchError) as error:
        raise SuiteError(f"{path}: {error}") from error
    if tree.id != expected:
        raise SuiteError(f"{path}: applying it does not give the reference named in task.toml; build the task again")
    return tree


def _ids(path: Path) -> tuple[str, ...]:
    try:
        found = json.loads(_text(path))
    except json.JSONDecodeError as error:
        raise SuiteError(f"{path}: not valid JSON: {error}") from error
    if not isinstance(found, list) or not all(isinstance(name, str) for name in found):
        raise SuiteError(f"{path}: must be a list of test ids")
    return tuple(found)


def _samples(file: SamplesFile) -> Samples:
    return Samples(
        behaviour=tuple(edit.value() for edit in file.behaviour),
        style=tuple(edit.value() for edit in file.style),
        defect=tuple(edit.value() for edit in file.defect),
    )
