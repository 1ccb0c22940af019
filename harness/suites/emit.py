"""Writes a task as a Harbor-format folder, from values. Harbor runs it unchanged; `catalog` reads it back.

Owns the layout; what the values are is written, mined or mutated elsewhere.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from git import Repo

from harness.tree_io import write_tree

if TYPE_CHECKING:
    from harness.task import Task
    from harness.tree import Edit, Tree

_DOCKERFILE = """\
FROM python:3.11-slim
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
kind = {kind}
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


def emit_task(folder: Path, task: Task, *, title: str, source: str, tools: tuple[tuple[str, str], ...]) -> None:
    """Write the task's folder anew; what stood there before is removed.

    `tools` are pinned packages of the image as (name, version), `source` one of written, mined, mutated, session.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    _write(folder / "instruction.md", task.instruction.strip() + "\n")
    _write(folder / "task.toml", _TOML.format(**_fields(folder.parent.parent.name, task, title, source)))
    pins = " ".join([*(f"{name}=={version}" for name, version in tools), *task.requirements])
    _write(folder / "environment/Dockerfile", _DOCKERFILE.format(requirements=pins))
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


def _fields(suite: str, task: Task, title: str, source: str) -> dict[str, str]:
    values = {
        "name": f"{suite}/{task.id}",
        "title": title,
        "source": source,
        "project": task.project,
        "split": str(task.split),
        "cluster": task.project,
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
    return {key: json.dumps(value) for key, value in values.items()}  # these JSON values are valid TOML


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
