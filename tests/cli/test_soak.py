"""The whole bundled suite, long enough for `make soak`: its admission, its two controls, and the loop's own demonstration."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from harness.errors import LedgerError
from harness.ledger.schema import ConfirmationRow, DecisionRow, EventRow, PromotionRow, Row, TrialRow, VariantRow, VoteRow
from harness.ledger.store import Store
from tests.chromium import Opened, chromium
from tests.cli.conftest import FEW, ROOT, Harness

pytestmark = [pytest.mark.docker, pytest.mark.soak]
POCKET = "task_suites/pocket"


def rates(harness: Harness, agent: str) -> dict[str, int]:
    argv = ("evaluate", "skills/coding", "--suite", POCKET, "--agent", agent, "--model", "rehearsal", "--json", "-q")
    found = json.loads(harness(*argv, check=True, limit=1800).stdout)["rates"]
    return {gate: rate["passed"] for gate, rate in found.items()}


def test_every_task_of_the_bundled_suite_is_admitted(harness: Harness) -> None:
    done = harness("suite", "check", POCKET, "--json", "-q", limit=1800)
    tasks = json.loads(done.stdout)["tasks"]
    assert {task["id"]: task["reasons"] for task in tasks if not task["admitted"]} == {}
    assert len(tasks) == 48


def test_the_reference_passes_all_gates_of_all_48_tasks(harness: Harness) -> None:
    assert rates(harness, "reference") == {"tests": 48, "style": 48, "review": 48}


def test_an_idle_agent_passes_no_gate_of_any_of_them(harness: Harness) -> None:
    assert rates(harness, "idle") == {"tests": 0, "style": 0, "review": 0}


def git(folder: Path, *argv: str) -> str:
    who = ("-c", "user.name=ada", "-c", "user.email=ada@localhost")
    return subprocess.run(["git", *who, *argv], cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def team(tmp_path: Path, harness: Harness) -> Path:
    """A small team repository, made ready by `harness init`."""
    folder = tmp_path / "team"
    folder.mkdir()
    (folder / "AGENTS.md").write_text("# How we work\n\nRead the issue, change what it names, and stop.\n")
    (folder / "CONTRIBUTING.md").write_text("Every change comes with a test.\n")
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "first")
    harness("init", str(folder), check=True)
    return folder


def killed_in_the_night(team: Path, state: Path) -> None:
    """A first try that ends by SIGKILL after forty trials."""
    process = subprocess.Popen(
        [Path(sys.executable).parent / "harness", *NIGHTLY],
        cwd=team,
        env={**os.environ, "HARNESS_OUTPUT__STATE": str(state)},
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    assert process.stderr is not None
    trials = 0
    while trials < 40 and process.poll() is None:
        trials += process.stderr.readline().startswith("  [")
    process.kill()
    process.communicate()


NIGHTLY = ("nightly", "--seed", "2", "--batch", "4", "--max-generations", "4", "--summary", "summary.md")


def test_two_nights_in_a_teams_repository_end_in_a_branch_a_page_and_a_sound_record(
    team: Path, harness: Harness, tmp_path: Path
) -> None:
    before = git(team, "status", "--porcelain", "--branch"), (team / "AGENTS.md").read_bytes()
    killed_in_the_night(team, tmp_path / "state")
    document = json.loads(harness(*NIGHTLY, "--json", "-q", check=True, limit=2400, cwd=team).stdout)
    decisions = {row["decision"]: row for row in document["decisions"]}
    assert {"promote", "reject"} <= decisions.keys()
    assert {row["right"] for row in document["decisions"]} <= {True, None}
    assert (tmp_path / "state/best/team/AGENTS.md").read_text() == git(team, "show", "harness/team:AGENTS.md")
    assert git(team, "log", "-1", "--format=%s", "harness/team").startswith("REHEARSAL: Promote generation ")
    assert "REHEARSAL: Generation " in (team / "summary.md").read_text()
    (team / "summary.md").unlink()
    assert (git(team, "status", "--porcelain", "--branch"), (team / "AGENTS.md").read_bytes()) == before

    more = ("nightly", "--seed", "2", "--batch", "4", "--max-generations", "1", "--json", "-q")
    again = json.loads(harness(*more, check=True, limit=1200, cwd=team).stdout)
    assert sorted(row["generation"] for row in again["decisions"]) == [1, 2, 3, 4, 5]
    why = harness("audit", "why", decisions["promote"]["id"], check=True, cwd=team).stdout
    assert "beats" in why
    assert harness("audit", "replay", cwd=team).returncode == 0
    harness("rollback", "--reason", "It made reviews slower.", check=True, cwd=team)
    assert git(team, "show", "harness/team:AGENTS.md").encode() == before[1]
    verified = harness("audit", "verify", cwd=team)
    assert verified.returncode == 0
    assert "it agrees with" in verified.stdout
    opens_in_a_browser(Path(again["page"]), decisions["promote"]["generation"])


def opens_in_a_browser(path: Path, promoted: int) -> None:
    """The night's page as whoever comes in the morning sees it."""
    with chromium() as browser:
        opened = Opened(browser.new_page(), path.resolve().as_uri())
        assert opened.page.inner_text("h1") == f"Generation {promoted} is the new baseline"
        opened.page.click("summary:has-text('All outcomes')")
        opened.page.click("#recompute")
        assert opened.page.inner_text("#recomputed").count("(same as the record)") == 3
        assert (opened.said, opened.asked) == ([], [path.resolve().as_uri()])


# A generous rule, so that a night on four holdout tasks comes to confirmations; its first variants harm and do nothing.
NIGHT = f"""
seed = 7
[decision]
alpha = 0.45
looks = 2
small_holdout = "{FEW}"
[proposer]
batch = 2
"""
MEASURED = {"seconds", "transcript_blob", "evidence_blob", "raw_blob", "request_id"}  # differ from one run to the next anyway


def begun(tiny: Path, folder: Path) -> subprocess.Popen[bytes]:
    """The night, or what is left of it."""
    folder.mkdir(exist_ok=True)
    (folder / "harness.toml").write_text(NIGHT, encoding="utf-8")
    argv = ["evolve", "--config", str(folder / "harness.toml"), "--suite", str(tiny), "--max-generations", "4", "-q"]
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("HARNESS_", "ANTHROPIC_"))}
    return subprocess.Popen(
        [Path(sys.executable).parent / "harness", *argv, "--state", str(folder / "state")],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def rows(folder: Path, *models: type[Row]) -> list[tuple[str, str]]:
    """The ledger's rows of these kinds, by key, without what a clock or a service's numbering puts into them; [] before any."""
    path = folder / "state/ledger.db"
    if not path.is_file():
        return []
    with Store.read(path) as store:
        campaigns = [store.campaign(name) for name in store.campaigns()]
        found = [(model, row) for campaign in campaigns for model in models for row in campaign.rows(model)]
    return sorted((f"{model.table} {row.key}", row.model_dump_json(exclude=MEASURED)) for model, row in found)


def ended(folder: Path) -> bool:
    with suppress(LedgerError):  # killed before it held anything
        return any('"run ended"' in text for _, text in rows(folder, EventRow))
    return False


def test_a_night_killed_at_random_points_ends_as_the_one_that_was_let_alone(tiny: Path, tmp_path: Path) -> None:
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    started = time.monotonic()
    assert begun(tiny, whole).wait(1200) == 0
    length = time.monotonic() - started
    random, kills = Random(1), 0
    for _ in range(8):
        process = begun(tiny, cut)
        try:
            process.wait(2 + random.random() * length / 3)
        except subprocess.TimeoutExpired:
            process.kill()
            kills += 1
        process.wait()
        if ended(cut):
            break
    if not ended(cut):
        assert begun(tiny, cut).wait(1200) == 0
    assert kills >= 2
    decided, given = (ConfirmationRow, DecisionRow, PromotionRow, VariantRow), (TrialRow, VoteRow)
    assert rows(cut, *decided) == rows(whole, *decided)
    assert rows(cut, *given) == rows(whole, *given)
    with Store.read(cut / "state/ledger.db") as store:
        entries = Counter(entry.key for entry in store.entries(kind="trial"))
    assert set(entries.values()) == {1}
