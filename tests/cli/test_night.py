"""What a team's commands say before anything is started: init, nightly, promote, and the listing's filters."""

import json
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
    ("option", "words"), [(("--decision", "maybe"), "there are promote"), (("--since", "soon"), "YYYY-MM-DD")]
)
def test_a_filter_that_makes_no_sense_is_refused(harness: Harness, option: tuple[str, ...], words: str) -> None:
    done = harness("audit", "list", *option)
    assert done.returncode == 2
    assert words in done.stderr


def test_a_live_page_needs_a_ledger(harness: Harness) -> None:
    done = harness("report", "--follow")
    assert done.returncode == 2
    assert "no ledger here" in done.stderr
