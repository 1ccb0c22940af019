"""Harbor both ways. What Harbor itself says of our folders is asked of its own package, in an interpreter that it can run on."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.errors import SuiteError
from harness.suites.admit import probes
from harness.suites.catalog import load_suite
from harness.tree_io import read_tree

DOCKERFILE = """\
FROM python:3.11-slim
# what git is for
RUN apt-get update && apt-get install -y --no-install-recommends \\
    git && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY app/ /app/
COPY ["notes.md", "docs/notes.md"]
RUN pip install --no-cache-dir attrs==25.4.0 pytest==8.4.1
"""
TOML = 'version = "1.0"\n[metadata]\ndifficulty = "easy"\n[verifier]\ntimeout_sec = 30.0\n[agent]\ntimeout_sec = 120.0\n'
TESTS = (
    "from shop import total\n\n\nclass TestSum:\n    def test_b(self):\n"
    "        assert total([1]) == 1\n\n\ndef test_a():\n    assert total([]) == 0\n"
)
FILES = {
    "task.toml": TOML,
    "instruction.md": "Write `total`.\n",
    "environment/Dockerfile": DOCKERFILE,
    "environment/app/shop.py": "def total(prices):\n    raise NotImplementedError\n",
    "environment/notes.md": "Notes.\n",
    "tests/test.sh": "#!/bin/sh\npytest /tests/test_outputs.py && echo 1 > /logs/verifier/reward.txt\n",
    "tests/test_outputs.py": TESTS,
    "solution/solve.sh": "#!/bin/sh\n",
}


def dataset(folder: Path, **changed: str) -> Path:
    """A dataset of one task, with some of its files put otherwise; an empty text removes the file."""
    for name, text in (FILES | changed).items():
        path = folder / "make-total" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if text:
            path.write_text(text, encoding="utf-8")
    return folder


def test_a_dataset_is_read_as_a_suite_and_left_as_it_was(tmp_path: Path) -> None:
    folder = dataset(tmp_path / "shop")
    before = read_tree(folder).id
    suite = load_suite(folder)
    (task,) = suite.tasks
    assert (suite.id, suite.left_out, dict(suite.tools).keys()) == ("shop", (), {"pytest", "ruff"})
    assert (task.id, task.difficulty, task.tests_seconds, task.agent_seconds) == ("make-total", "easy", 30.0, 120.0)
    assert task.base.by_path.keys() == {"shop.py", "docs/notes.md"}
    assert task.requirements == ("attrs==25.4.0", "python==3.11")
    assert task.fail_to_pass == ("test_outputs.py::TestSum::test_b", "test_outputs.py::test_a")
    assert (task.instruction, task.pack, task.solved) == ("Write `total`.\n", "", False)
    assert read_tree(folder).id == before


def test_without_a_reference_admission_asks_only_that_nothing_passes_undone(tmp_path: Path) -> None:
    (task,) = load_suite(dataset(tmp_path)).tasks
    assert [(probe.name, probe.tests, probe.style) for probe in probes(task)] == [("untouched tree", False, None)]


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("task.toml", TOML + "[[steps]]\nname = 'one'\n", "has several steps"),
        ("task.toml", TOML + "[environment]\ndocker_image = 'x/y:1'\n", "needs an image of its own"),
        ("task.toml", "version = \n", "task.toml: not valid TOML"),
        ("task.toml", "[agent]\ntimeout_sec = 'long'\n", "task.toml: agent.timeout_sec"),
        ("instruction.md", "", "instruction.md: cannot be read"),
        ("environment/Dockerfile", "", "environment/ has no Dockerfile"),
        ("environment/Dockerfile", "FROM nvidia/cuda:12\n", "Dockerfile:1: builds on nvidia/cuda:12"),
        ("environment/Dockerfile", "FROM python:3.9-slim\n", "builds on Python 3.9, and the suite's tools run on 3.10"),
        ("environment/Dockerfile", "FROM python:3.11\nRUN pip install attrs\n", "installs attrs, which is no package with"),
        ("environment/Dockerfile", "FROM python:3.11\nRUN pip install -r r.txt\n", "Dockerfile:2: installs -r"),
        ("environment/Dockerfile", "FROM python:3.11\nRUN apt-get install -y ffmpeg\n", ":2: installs the system package ffmpeg"),
        ("environment/Dockerfile", "FROM python:3.11\n\nRUN make all\n", "Dockerfile:3: runs make"),
        ("environment/Dockerfile", "FROM python:3.11\nENV A=1\n", "Dockerfile:2: ENV has no counterpart"),
        ("environment/Dockerfile", "FROM python:3.11\nCOPY gone /app/\n", "Dockerfile:2: copies gone"),
        ("environment/Dockerfile", "FROM python:3.11\nCOPY --from=x a b\n", "Dockerfile:2: cannot copy"),
        ("environment/Dockerfile", "FROM python:3.11\nWORKDIR /app\nCOPY app/ /srv/\n", "shop.py outside the working folder"),
        ("tests/test.sh", "#!/bin/sh\n./check\n", "tests/test.sh does not run pytest"),
        ("tests/test_outputs.py", "", "tests/ holds no test_*.py"),
        ("tests/test_outputs.py", "def test_a(: ...\n", "no Python that this version reads"),
        ("tests/test_outputs.py", "def test_a():\n    open('/app/x')\n", "tests/test_outputs.py: names /app"),
        ("tests/test_outputs.py", "@pytest.mark.parametrize('a', [1])\ndef test_a(a): ...\n", "test_a is parametrised"),
    ],
)  # fmt: skip
def test_a_task_that_the_sandbox_cannot_run_is_left_out_with_the_reason(
    tmp_path: Path, name: str, text: str, reason: str
) -> None:
    dataset(tmp_path / "good")
    shutil.copytree(dataset(tmp_path / "bad", **{name: text}) / "make-total", tmp_path / "good" / "other")
    suite = load_suite(tmp_path / "good")
    assert [task.id for task in suite.tasks] == ["make-total"]
    ((left, why),) = suite.left_out
    assert left == "other"
    assert reason in why


def test_a_suite_that_lost_its_suite_toml_is_not_taken_for_a_dataset(suite_folder: Path, tmp_path: Path) -> None:
    shutil.copytree(suite_folder / "tasks", tmp_path / "tasks")
    with pytest.raises(SuiteError, match=r"suite\.toml: not found; name a folder .* of a suite, not of a Harbor dataset"):
        load_suite(tmp_path)


def test_a_dataset_without_any_task_to_run_is_refused_with_the_reasons(tmp_path: Path) -> None:
    with pytest.raises(SuiteError, match=r"no task of this Harbor dataset can be run.*make-total: has several steps"):
        load_suite(dataset(tmp_path, **{"task.toml": TOML + "[[steps]]\nname = 'one'\n"}))


ASK = """\
import json, sys, warnings
from pathlib import Path
warnings.simplefilter("error")
from harbor.models.task.task import Task
refused = {}
for folder in map(Path, sys.argv[1:]):
    try:
        task = Task(folder)
        assert Task.is_valid_dir(folder) and task.paths.discovered_solve_path and task.instruction.strip()
    except Exception as error:
        refused[folder.name] = f"{type(error).__name__}: {error}"
print(json.dumps(refused))
"""


def interpreters() -> Iterator[Path]:
    """Every Python from 3.12 on that stands on the PATH or in pyenv."""
    names = [f"python3.{minor}" for minor in range(12, 16)]
    found = [shutil.which(name) for name in names]
    yield from (Path(path) for path in found if path)
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    yield from sorted(root.glob("versions/3.1[2-5].*/bin/python"), reverse=True)


@pytest.fixture(scope="session")
def harbor(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An interpreter with Harbor's own package in it."""
    if sys.version_info >= (3, 12):
        candidates = [Path(sys.executable)]
    else:
        candidates = [
            one
            for one in interpreters()
            if subprocess.run([one, "-c", "import ensurepip, venv"], check=False, capture_output=True).returncode == 0
        ]
    if not candidates:
        pytest.skip("Harbor's package needs Python 3.12 or newer, and none is on the PATH or in pyenv")
    place = tmp_path_factory.mktemp("harbor")
    subprocess.run([candidates[0], "-m", "venv", place], check=True)
    made = subprocess.run(
        [place / "bin/python", "-m", "pip", "install", "-q", "harbor"], check=False, capture_output=True, text=True
    )
    if made.returncode:
        pytest.skip(f"Harbor's package cannot be installed here: {made.stderr[-200:]}")
    return place / "bin/python"


@pytest.mark.soak
def test_harbors_own_validation_takes_every_bundled_task(harbor: Path) -> None:
    folders = sorted(Path("task_suites/pocket/tasks").iterdir())
    assert len(folders) == 48
    said = subprocess.run([harbor, "-c", ASK, *folders], check=True, capture_output=True, text=True).stdout
    assert json.loads(said) == {}


@pytest.mark.soak
def test_harbors_own_validation_takes_the_dataset_that_these_tests_read_and_no_folder_without_tests(
    harbor: Path, tmp_path: Path
) -> None:
    good, bad = dataset(tmp_path / "a"), dataset(tmp_path / "b", **{"tests/test.sh": ""})
    said = subprocess.run([harbor, "-c", ASK, good / "make-total"], check=True, capture_output=True, text=True).stdout
    assert json.loads(said) == {}
    said = subprocess.run([harbor, "-c", ASK, bad / "make-total"], check=True, capture_output=True, text=True).stdout
    assert json.loads(said).keys() == {"make-total"}
