"""What a team's commands say before anything is started: init, nightly, promote, and the listing's filters."""

import json
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import Harness


@pytest.fixture
def team(tmp_path: Path) -> Path:
    """A repository with an AGENTS.md and one commit."""
    folder = tmp_path / "team"
    folder.mkdir()
    (folder / "AGENTS.md").write_text("Be careful.\n")
    git = ("git", "-c", "user.name=a", "-c", "user.email=a@b")
    for argv in (("init", "-q", "-b", "main"), ("add", "."), ("commit", "-q", "-m", "first")):
        subprocess.run([*git, *argv], cwd=folder, check=True)
    return folder


def test_init_says_what_it_found_wrote_and_what_comes_next(harness: Harness, team: Path) -> None:
    out = harness("init", cwd=team, check=True).stdout
    assert "Instructions: AGENTS.md" in out
    assert "written       harness.toml" in out
    assert out.splitlines()[-1] == "Next: harness doctor && harness evolve --max-generations 4"
    document = json.loads(harness("init", "--json", cwd=team, check=True).stdout)
    assert (document["new"], "harness.toml" in document["kept"]) == ([], True)


def test_init_offers_tasks_of_the_repositorys_own_history_where_there_are_none_yet(harness: Harness, team: Path) -> None:
    assert "`harness suite mine .` makes a suite of this repository's merged changes" in harness("init", cwd=team).stdout
    (team / "task_suites/own").mkdir(parents=True)
    (team / "task_suites/own/suite.toml").write_text('id = "own"\nversion = "1"\n[tasks]\n', encoding="utf-8")
    document = json.loads(harness("init", "--suite", "task_suites/own", "--json", cwd=team, check=True).stdout)
    assert document["own_tasks"] is None


def test_init_with_a_suite_that_is_none_writes_nothing(harness: Harness, team: Path) -> None:
    done = harness("init", "--suite", ".", cwd=team)
    assert (done.returncode, "suite.toml: not found" in done.stderr) == (2, True)
    assert not (team / "harness.toml").exists()


def test_what_comes_next_can_be_pasted_into_a_shell_whatever_the_folder_is_called(harness: Harness, tmp_path: Path) -> None:
    folder = tmp_path / "our team's"
    folder.mkdir()
    last = harness("init", str(folder), check=True).stdout.splitlines()[-1]
    assert shlex.split(last.removeprefix("Next: "))[:3] == ["cd", str(folder), "&&"]


def test_what_promotes_nothing_needs_no_branch(harness: Harness, tmp_path: Path) -> None:
    folder = tmp_path / "fresh"
    folder.mkdir()
    (folder / "AGENTS.md").write_text("Be careful.\n")
    subprocess.run(["git", "init", "-q", "-b", "main"], cwd=folder, check=True)
    harness("init", cwd=folder, check=True)
    evaluated = harness("evaluate", "AGENTS.md", "--split", "vault", cwd=folder)
    assert "no vault tasks" in evaluated.stderr  # it came as far as the tasks
    assert "has no commit yet" in harness("evolve", "--max-generations", "1", cwd=folder).stderr


def test_init_in_a_folder_that_is_not_there_is_refused(harness: Harness, tmp_path: Path) -> None:
    done = harness("init", str(tmp_path / "nowhere"))
    assert done.returncode == 2
    assert "no such folder" in done.stderr


def test_a_night_without_an_end_is_refused(harness: Harness, team: Path) -> None:
    harness("init", cwd=team, check=True)
    done = harness("nightly", "--model", "claude-sonnet-5-5", cwd=team)  # without a key nothing would begin either way
    assert done.returncode == 2
    assert "a night needs an end" in done.stderr


def test_a_night_whose_branch_is_checked_out_is_refused_before_anything_starts(
    harness: Harness, team: Path, tmp_path: Path
) -> None:
    harness("init", cwd=team, check=True)
    subprocess.run(["git", "checkout", "-q", "-b", "harness/team"], cwd=team, check=True)
    done = harness("nightly", "--max-hours", "1", cwd=team)
    assert done.returncode == 2
    assert "harness/team is checked out" in done.stderr
    assert not (tmp_path / "state").exists()


def test_there_is_nothing_to_promote_without_a_ledger(harness: Harness) -> None:
    done = harness("promote", "abc", "--why", "Because.")
    assert done.returncode == 2
    assert "no ledger" in done.stderr


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (("audit", "list", "--decision", "maybe"), "there are promote"),
        (("audit", "list", "--since", "soon"), "write it as YYYY-MM-DD"),
        (("audit", "digest", "--since", "2026-13-01"), "write it as YYYY-MM-DD"),
        (("suite", "mine", ".", "--since", "the last full moon"), "write it as YYYY-MM-DD"),
    ],
)
def test_a_filter_that_makes_no_sense_is_refused(harness: Harness, argv: tuple[str, ...], words: str) -> None:
    done = harness(*argv)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr


def test_a_live_page_needs_a_ledger(harness: Harness) -> None:
    done = harness("report", "--follow")
    assert done.returncode == 2
    assert "no ledger here" in done.stderr
