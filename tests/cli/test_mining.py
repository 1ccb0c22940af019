"""`harness suite mine` and `suite split` as a person calls them; a whole suite mined, admitted and evaluated for real."""

import json
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import git
import pytest

from harness.cli.mine import onward
from harness.config import Config, DecisionSection
from harness.errors import DockerUnavailableError
from harness.sandbox.base_image import python_image
from harness.sandbox.engine import connect
from harness.suites.catalog import load_suite
from harness.task import Split, interpreter
from harness.tree import Tree
from harness.tree_io import write_tree
from harness.wiring.inputs import CONSENT

Harness = Callable[..., subprocess.CompletedProcess[str]]
ASYNC = "import pytest\n\n\n@pytest.mark.asyncio\nasync def test_async():\n    pass\n"
FLAKY = "import os\nimport pytest\n\n\n@pytest.mark.parametrize('x', [os.urandom(8).hex()])\ndef test_moving(x):\n    pass\n"


def history(folder: Path, *changes: dict[str, str], start: dict[str, str] | None = None) -> Path:
    """A repository with these changes after a start, one commit each."""
    repo = git.Repo.init(folder)
    for number, files in enumerate((start or {"box/__init__.py": "", "README.md": "box\n"}, *changes)):
        write_tree(folder, Tree.of(files))
        repo.git.add("-A")
        words = ["git", "-c", "user.name=a", "-c", "user.email=a@localhost", "commit", "-q", "-m", f"Boxes have part {number}"]
        repo.git.execute(words, env={"GIT_COMMITTER_DATE": f"2026-01-{number + 1:02d}T00:00:00Z"})
    repo.close()
    return folder


def part(number: int, *, test: str = "") -> dict[str, str]:
    """A change with source and tests."""
    name = f"part{'abcdefgh'[number]}"
    tests = f"from box.{name} import {name}\n\n\ndef test_{name}():\n    assert {name}([]) == {number}\n{test}"
    return {f"box/{name}.py": f"def {name}(items):\n    return len(items) + {number}\n", f"tests/test_{name}.py": tests}


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (("{tmp}",), "no git repository; name a checkout or a bare repository"),
        (("file://{tmp}/nowhere",), "cannot be cloned"),
        (("{repo}", "--holdout", "0.8", "--vault", "0.4"), "must be shares from 0 to 1, and not more than 1 together"),
        (("{repo}", "--limit", "0"), "--limit"),
        (("{repo}", "--model", "claude-sonnet-5-5"), "needs a key: set ANTHROPIC_API_KEY"),
    ],
)
def test_wrong_input_is_one_message_and_leaves_nothing(
    harness: Harness, tmp_path: Path, argv: tuple[str, ...], said: str
) -> None:
    repo = history(tmp_path / "box", part(1))
    words = [word.format(tmp=tmp_path, repo=repo) for word in argv]
    done = harness("suite", "mine", *words, "--out", str(tmp_path / "out"))
    assert (done.returncode, done.stdout) == (2 if "KEY" not in said else 3, "")
    assert said in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_suite_is_never_mined_into_another_ones_place(harness: Harness, tiny: Path, tmp_path: Path) -> None:
    repo = history(tmp_path / "box", part(1))
    done = harness("suite", "mine", str(repo), "--out", str(tiny))
    assert done.returncode == 2
    assert "no suite that is being mined" in done.stderr
    assert not (tiny / "mining.html").exists()


def test_tasks_without_dates_keep_the_split_they_were_made_with(harness: Harness, tiny: Path) -> None:
    before = (tiny / "suite.toml").read_bytes()
    done = harness("suite", "split", str(tiny))
    assert done.returncode == 2
    assert "no dates to split by" in done.stderr
    assert (tiny / "suite.toml").read_bytes() == before


def test_a_split_that_is_only_tried_writes_nothing(harness: Harness, tiny: Path) -> None:
    before = (tiny / "suite.toml").read_bytes()
    done = harness("suite", "split", str(tiny), "--holdout", "0.5", "--vault", "0.2", "--dry-run", "--json")
    found = json.loads(done.stdout)
    assert (done.returncode, found["splits"], found["written"]) == (0, {"dev": 2, "vault": 1, "holdout": 3}, False)
    assert (tiny / "suite.toml").read_bytes() == before


def test_the_next_step_is_evolving_only_where_the_suite_may_be_evolved_on() -> None:
    suite, folder = load_suite(Path("task_suites/pocket")), Path("a b/pocket")
    few = replace(suite, tasks=suite.split(Split.DEV) + suite.split(Split.HOLDOUT)[:19])
    assert onward(Config(), suite, folder) == "next: harness evolve --suite 'a b/pocket'"
    assert onward(Config(), few, folder) == "next: harness evaluate skills/coding --suite 'a b/pocket'"
    assert onward(Config(decision=DecisionSection(small_holdout=CONSENT)), few, folder).startswith("next: harness evolve")
    assert "evaluate" in onward(Config(), replace(suite, tasks=suite.split(Split.DEV)), folder)


@pytest.mark.docker
@pytest.mark.soak
def test_a_mined_suite_is_admitted_tells_all_from_nothing_and_goes_on_where_it_was(harness: Harness, tmp_path: Path) -> None:
    start = {"box/__init__.py": "", "requirements-dev.txt": "pytest-asyncio\n"}
    changes = (part(1), part(2, test=f"\n\n{FLAKY}"), part(3, test=f"\n\n{ASYNC}"), {"README.md": "A box.\n"}, part(4))
    repo = history(tmp_path / "box", *changes, start=start)
    out = tmp_path / "suite"
    first = harness("suite", "mine", str(repo), "--out", str(out), "--limit", "1", "--json", "-q", limit=600)
    done = harness("suite", "mine", str(repo), "--out", str(out), "--json", "-q", limit=600)
    assert (first.returncode, done.returncode) == (0, 0), first.stderr + done.stderr
    found = json.loads(done.stdout)
    assert json.loads(first.stdout)["kept"] == 1
    assert (found["kept"], found["tried"], found["rejected"]) == (4, 4, {"no source": 1})
    assert found["splits"] == {"dev": 2, "holdout": 2}
    suite = load_suite(out)
    assert suite.private
    assert sum(name.endswith("::test_async") for task in suite.tasks for name in task.expected) == 1
    assert not [name for task in suite.tasks for name in task.expected if "moving" in name]
    assert "4 tasks of 4 candidates" in (out / "mining.html").read_text(encoding="utf-8")
    assert harness("suite", "check", str(out), "--changed", limit=600).returncode == 0
    for agent, verdict in (("reference", "pass"), ("idle", "fail")):
        words = ("--suite", str(out), "--agent", agent, "--state", str(tmp_path / agent), "--json", "-q")
        ran = harness("evaluate", "skills/coding", *words, limit=600)
        assert ran.returncode == 0, ran.stderr
        trials = json.loads(ran.stdout)["trials"]
        assert [trial["gates"]["tests"]["verdict"] for trial in trials] == [verdict] * 4


@pytest.mark.docker
@pytest.mark.soak
def test_a_candidate_that_admission_refuses_is_rejected_with_admissions_reason(harness: Harness, tmp_path: Path) -> None:
    start = {"box/__init__.py": "", "pyproject.toml": '[tool.ruff]\nextend-exclude = ["*.py"]\n'}
    done = harness(
        "suite", "mine", str(history(tmp_path / "box", part(1), start=start)), "--out", str(tmp_path / "out"), limit=600
    )
    assert done.returncode == 1
    assert "0 tasks of 1 candidate" in done.stdout
    assert "1 admission" in done.stdout
    assert "planted lint: style should fail" in (tmp_path / "out/mining.html").read_text("utf-8") or "admission" in done.stdout
    assert not (tmp_path / "out/suite.toml").exists()


@pytest.mark.docker
@pytest.mark.soak
def test_a_project_of_a_newer_python_is_mined_and_judged_with_that_python(harness: Harness, tmp_path: Path) -> None:
    client = connect()
    try:
        python_image(client, "3.13", lambda _: None)
    except DockerUnavailableError as error:
        pytest.skip(str(error))  # neither Debian's mirror nor Docker's registry is in reach
    finally:
        client.close()
    start = {"box/__init__.py": "", "pyproject.toml": '[project]\nname = "box"\nversion = "1"\nrequires-python = ">=3.12"\n'}
    newer = {
        "box/first.py": "def first[T](items: list[T]) -> T:\n    return items[0]\n",  # no Python before 3.12 reads this
        "tests/test_first.py": "from box.first import first\n\n\ndef test_first():\n    assert first([2, 1]) == 2\n",
    }
    repo = history(tmp_path / "box", newer, start=start)
    out = tmp_path / "suite"
    done = harness("suite", "mine", str(repo), "--out", str(out), "--json", "-q", limit=600)
    assert (done.returncode, json.loads(done.stdout or "{}").get("kept")) == (0, 1), done.stdout + done.stderr
    [task] = load_suite(out).tasks
    assert interpreter(task.requirements) == "3.13"
    assert (out / "tasks" / task.id / "environment/Dockerfile").read_text("utf-8").startswith("FROM python:3.13-slim\n")
    for agent, verdict in (("reference", "pass"), ("idle", "fail")):
        words = ("--suite", str(out), "--agent", agent, "--state", str(tmp_path / agent), "--json", "-q")
        ran = harness("evaluate", "skills/coding", *words, limit=600)
        assert ran.returncode == 0, ran.stderr
        assert [trial["gates"]["tests"]["verdict"] for trial in json.loads(ran.stdout)["trials"]] == [verdict]
