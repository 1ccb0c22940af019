"""The command line as a person or a script calls it, and a suite of six tasks for loop, resume and nights."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.suites.admit import Admission, write_record
from harness.suites.catalog import load_suite, load_task

ROOT = Path(__file__).parents[2]
POCKET = ROOT / "task_suites/pocket"
FEW = "I accept unattended promotion on few tasks"
Harness = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def harness(tmp_path: Path) -> Harness:
    """Runs `harness` with its state below tmp_path; returns code, stdout, stderr."""

    def run(
        *argv: str, env: dict[str, str] | None = None, check: bool = False, limit: float = 600, cwd: Path = ROOT
    ) -> subprocess.CompletedProcess[str]:
        clean = {key: value for key, value in os.environ.items() if not key.startswith(("HARNESS_", "ANTHROPIC_"))}
        return subprocess.run(
            [Path(sys.executable).parent / "harness", *argv],
            cwd=cwd,
            env=clean | {"HARNESS_OUTPUT__STATE": str(tmp_path / "state")} | (env or {}),
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=check,
            timeout=limit,
        )

    return run


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two dev and four holdout tasks of the bundled suite, admitted."""
    folder = tmp_path_factory.mktemp("suite") / "tiny"
    return small_suite(folder, {"dev": 2, "holdout": 4})


def small_suite(folder: Path, counts: dict[str, int]) -> Path:
    """A suite made of the bundled one's first tasks, split as asked for, with its admission record."""
    whole = load_suite(POCKET)
    splits = [split for split, count in counts.items() for _ in range(count)]
    names = []
    for task, split in zip(whole.tasks, splits, strict=False):
        shutil.copytree(POCKET / "tasks" / task.id, folder / "tasks" / task.id)
        path = folder / "tasks" / task.id / "task.toml"
        path.write_text(re.sub(r"(?m)^split = .*$", f'split = "{split}"', path.read_text(encoding="utf-8")), encoding="utf-8")
        names.append(task.id)
    shutil.copytree(POCKET / "packs", folder / "packs")
    tasks = [load_task(folder / "tasks" / name) for name in names]
    packs = sorted({task.pack for task in tasks})
    lines = ['id = "tiny"', 'version = "1"', "[tools]", *(f'{name} = "{version}"' for name, version in whole.tools)]
    lines += ["[packs]", *(f'{pack} = "packs/{pack}.toml"' for pack in packs)]
    lines += ["[tasks]", *(f'{task.id} = "{task.id_hash}"' for task in tasks)]
    (folder / "suite.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    suite = load_suite(folder)
    admitted = [Admission(task=task.id, reasons=(), flip_rate=0.0, probes=1) for task in tasks]
    write_record(folder / "admission.json", suite, admitted)
    return folder
