"""A bundle on another machine, as near as one machine comes to that.

A fresh virtual environment, an installed copy of the package, an empty home, no key, no engine, and no network where the kernel
lets us take it away.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from tests.cli.conftest import ROOT, Harness
from tests.cli.test_campaign import config

pytestmark = [pytest.mark.docker, pytest.mark.soak]
NO_ENGINE = "unix:///nowhere/docker.sock"
ALONE = ["unshare", "--map-root-user", "--net"]


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `harness` command of a virtual environment made from the lock, with no path back to this checkout."""
    folder = tmp_path_factory.mktemp("elsewhere")
    source = folder / "source"
    source.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    shutil.copytree(ROOT / "harness", source / "harness", ignore=shutil.ignore_patterns("__pycache__"))
    venv.create(folder / "venv", with_pip=True)
    pip = [folder / "venv/bin/python", "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    subprocess.run([*pip, "--require-hashes", "-r", ROOT / "requirements.lock"], check=True, cwd=folder)
    subprocess.run([*pip, "--no-deps", source], check=True, cwd=folder)
    shutil.rmtree(source)
    return folder / "venv/bin/harness"


def run(command: Path, folder: Path, *argv: str) -> bytes:
    """What the command prints in an unpacked bundle, with nothing else of this machine."""
    prefix = ALONE if subprocess.run([*ALONE, "true"], capture_output=True, check=False).returncode == 0 else []
    env = {"PATH": "/usr/bin:/bin", "HOME": str(folder / "home"), "LANG": "C.UTF-8", "DOCKER_HOST": NO_ENGINE, "COLUMNS": "100"}
    return subprocess.run([*prefix, command, *argv], cwd=folder, env=env, stdout=subprocess.PIPE, check=True).stdout


def test_a_bundle_verifies_and_replays_bit_for_bit_in_a_fresh_environment(
    harness: Harness, tiny: Path, tmp_path: Path, elsewhere: Path
) -> None:
    shutil.copytree(ROOT / "skills/coding", tmp_path / "copy/coding")
    argv = ("compare", "skills/coding", str(tmp_path / "copy/coding"), "--suite", str(tiny), "--config", config(tmp_path))
    harness(*argv, "--json", "-q", check=True)
    harness("audit", "export", "1", "-o", str(tmp_path / "bundle.zip"), check=True)
    unpacked = tmp_path / "unpacked"
    with zipfile.ZipFile(tmp_path / "bundle.zip") as bundle:
        bundle.extractall(unpacked)
    (unpacked / "home").mkdir()

    found = json.loads(run(elsewhere, unpacked, "audit", "replay", "--state", ".", "--json"))
    assert (found["same"], found["decisions"], found["trials"]) == (True, 1, 8)
    assert found["votes"] > 0
    assert json.loads(run(elsewhere, unpacked, "audit", "verify", "--state", ".", "--json"))["sound"]
    questions = [("audit", "replay", "--json"), ("audit", "show", "1", "--json"), ("audit", "why", "1")]
    for question in questions:
        here = run(Path(sys.executable).parent / "harness", unpacked, *question, "--state", ".")
        assert run(elsewhere, unpacked, *question, "--state", ".") == here
    pages = []
    for command in (elsewhere, Path(sys.executable).parent / "harness"):
        run(command, unpacked, "report", "--state", ".", "-o", f"{command.parent.parent.name}.html")
        pages.append((unpacked / f"{command.parent.parent.name}.html").read_bytes())
    assert pages[0] == pages[1]
