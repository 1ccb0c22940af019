"""Writes a task as a Harbor-format folder, from values. Harbor runs it unchanged; `catalog` reads it back.

Owns the layout; what the values are is written, mined or mutated elsewhere.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from git import Repo

from harness.suites.catalog import load_suite
from harness.task import distributions, interpreter
from harness.tree_io import write_tree

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from harness.suites.files import SuiteFile
    from harness.task import Suite, Task
    from harness.tree import Edit, Tree

OWN_PYTHON = "3.11"  # of the sandbox, which a task without a Python of its own is made for
_DOCKERFILE = """\
FROM python:{python}-slim
RUN apt-get update && apt-get install -y --no-install-recommends git && rm -rf /var/lib/apt/lists/*
RUN pip install --no-cache-dir {requirements}
WORKDIR /app
COPY base/ /app/
"""

_SOLVE = """\
#!/bin/sh
# Applies the reference solution to the project in /app.
set -eu
cd /app
git apply "$(dirname "$0")/change.patch"
"""

_TEST = """\
#!/bin/sh
# Harbor's verifier: the hidden tests over the agent's tree. The harness grades more strictly (see docs/sandbox.md).
mkdir -p /logs/verifier
cd "$(dirname "$0")/overlay"
if PYTHONPATH=/app/src:/app python -m pytest -q -p no:cacheprovider .; then reward=1; else reward=0; fi
printf '{"reward": %s}\\n' "$reward" > /logs/verifier/reward.json
"""

_TOML = """\
schema_version = "1.4"

[task]
name = {name}
description = {title}

[metadata.harness]
source = {source}
project = {project}
split = {split}
cluster = {cluster}
{origin}kind = {kind}
difficulty = {difficulty}
interface = {interface}
pack = {pack}
requirements = {requirements}
judge = {judge}
base_hash = {base_hash}
reference_hash = {reference_hash}
hidden_hash = {hidden_hash}

[agent]
timeout_sec = {agent_seconds}

[verifier]
timeout_sec = {tests_seconds}

[environment]
network_mode = "no-network"
cpus = 1
memory_mb = 1024
storage_mb = 256
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where a task comes from: commits, the fix's date (ISO), cluster of near-duplicates, departures from what is declared."""

    base_commit: str = ""
    fix_commit: str = ""
    date: str = ""
    cluster: str = ""
    fixes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One task of a suite to be written. `source` is one of written, mined, mutated, session."""

    task: Task
    title: str
    source: str
    origin: Origin = field(default_factory=Origin)


def emit_suite(folder: Path, entries: Sequence[Entry], head: SuiteFile) -> Suite:
    """Write a suite's folder: tasks, packs, suite.toml; the suite as it is read back.

    Of `head`, `packs` map a pack's name to its TOML text, and `tasks` are not read. Task folders that stood there before under
    other names stay on disk, outside the suite.

    Raises:
        SuiteError: what was written does not read back as it is.
    """
    for entry in entries:
        emit_task(folder / "tasks" / entry.task.id, entry, tuple(sorted(head.tools.items())))
    for name, text in head.packs.items():
        _write(folder / f"packs/{name}.toml", text)
    paths = head.model_copy(update={"packs": {name: f"packs/{name}.toml" for name in head.packs}})
    _write(folder / "suite.toml", suite_toml(paths, {entry.task.id: entry.task.id_hash for entry in entries}))
    return load_suite(folder)


def suite_toml(head: SuiteFile, tasks: Mapping[str, str]) -> str:
    """The text of a suite.toml with these tasks' hashes; `packs` are paths, as they are on disk."""
    fields = {"id": head.id, "version": head.version, "description": head.description, "private": head.private}
    tables = {"tools": head.tools, "packs": head.packs, "tasks": tasks}
    lines = [f"{name} = {json.dumps(value)}" for name, value in fields.items()]
    for name, table in tables.items():
        lines += ["", f"[{name}]", *(f"{json.dumps(key)} = {json.dumps(value)}" for key, value in table.items())]
    return "\n".join(lines) + "\n"


def emit_task(folder: Path, entry: Entry, tools: tuple[tuple[str, str], ...]) -> None:
    """Write the task's folder anew; what stood there before is removed. `tools` are pinned packages as (name, version)."""
    task = entry.task
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    _write(folder / "instruction.md", task.instruction.strip() + "\n")
    _write(
        folder / "task.toml",
        _TOML.format(**_fields(folder.parent.parent.name, entry)),
    )
    pins = " ".join([*(f"{name}=={version}" for name, version in tools), *distributions(task.requirements)])
    recipe = _DOCKERFILE.format(python=interpreter(task.requirements) or OWN_PYTHON, requirements=pins)
    _write(folder / "environment/Dockerfile", recipe)
    write_tree(folder / "environment/base", task.base)
    write_tree(folder / "tests/overlay", task.hidden)
    _write(folder / "tests/test.sh", _TEST, executable=True)
    for name, ids in (("fail_to_pass", task.fail_to_pass), ("pass_to_pass", task.pass_to_pass)):
        _write(folder / f"tests/{name}.json", json.dumps(sorted(ids), indent=1) + "\n")
    _write(folder / "solution/change.patch", patch_between(task.base, task.reference))
    _write(folder / "solution/solve.sh", _SOLVE, executable=True)
    if task.samples:
        groups = (("behaviour", task.samples.behaviour), ("style", task.samples.style), ("defect", task.samples.defect))
        text = "\n".join(_edit(name, edit) for name, edits in groups for edit in edits)
        _write(folder / "rehearsal/samples.toml", text)


def patch_between(base: Tree, after: Tree) -> str:
    """The git patch from one tree to the other, text as surrogate-escaped UTF-8."""
    with tempfile.TemporaryDirectory() as place:
        repo = Repo.init(place)
        with repo.config_writer() as config:
            for option, value in (("autocrlf", "false"), ("quotePath", "false"), ("fileMode", "true")):
                config.set_value("core", option, value)
        _commit(repo, base)
        for path in base.by_path.keys() - after.by_path.keys():
            (Path(place) / path).unlink()
        write_tree(Path(place), after)
        repo.git.add("-A", "-f")
        patch: bytes = repo.git.diff(
            "--cached", "--no-renames", "--full-index", stdout_as_string=False, strip_newline_in_stdout=False
        )
        repo.close()
    return patch.decode("utf-8", "surrogateescape")


def _commit(repo: Repo, tree: Tree) -> None:
    write_tree(Path(repo.working_dir), tree)
    repo.git.add("-A", "-f")
    repo.git.execute(
        ["git", "-c", "user.name=harness", "-c", "user.email=harness@localhost", "commit", "-q", "--allow-empty", "-m", "base"]
    )


def _fields(suite: str, entry: Entry) -> dict[str, str]:
    task, origin = entry.task, entry.origin
    values = {
        "name": f"{suite}/{task.id}",
        "title": entry.title,
        "source": entry.source,
        "project": task.project,
        "split": str(task.split),
        "cluster": origin.cluster or task.project,
        "kind": task.kind,
        "difficulty": task.difficulty,
        "interface": list(task.interface),
        "pack": task.pack,
        "requirements": list(task.requirements),
        "judge": str(task.judge),
        "base_hash": task.base.id,
        "reference_hash": task.reference.id,
        "hidden_hash": task.hidden.id,
        "agent_seconds": task.agent_seconds,
        "tests_seconds": task.tests_seconds,
    }
    fields = {key: json.dumps(value) for key, value in values.items()}  # these JSON values are valid TOML
    known = {name: getattr(origin, name) for name in ("base_commit", "fix_commit", "date")} | {"fixes": list(origin.fixes)}
    return fields | {"origin": "".join(f"{name} = {json.dumps(value)}\n" for name, value in known.items() if value)}


def _edit(name: str, edit: Edit) -> str:
    lines = [f"[[{name}]]", f"file = {json.dumps(edit.file)}"]
    if edit.delete:
        lines.append("delete = true")
    elif edit.create is not None:
        lines.append(f"create = {_block(edit.create)}")
    else:
        lines += [f"find = {_block(edit.find)}", f"replace = {_block(edit.replace)}"]
    return "\n".join(lines) + "\n"


def _block(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    if "\r" in text or escaped.endswith('"'):
        return json.dumps(text)
    return f'"""\n{escaped}"""'


def _write(path: Path, text: str, *, executable: bool = False) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    path.chmod(0o755 if executable else 0o644)
