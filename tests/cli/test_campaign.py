"""Whole campaigns from the command line, in real containers, against the rehearsal service."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import docker
import pytest

from tests.cli.conftest import FEW, ROOT, Harness

pytestmark = pytest.mark.docker

# Four holdout tasks leave room for a decision only under a generous rule. With seed 7 the first two variants are a harmful
# and a neutral one, so that a run is short; confirmations are seen in `compare`, and whole rehearsals in `make soak`.
CONFIG = f"""
seed = 7
[decision]
alpha = 0.45
looks = 1
small_holdout = "{FEW}"
[proposer]
batch = 2
"""


def config(folder: Path) -> str:
    path = folder / "harness.toml"
    path.write_text(CONFIG, encoding="utf-8")
    return str(path)


def ours(pid: int) -> list[str]:
    """Names of the containers that a harness process has left."""
    client = docker.from_env()
    found = client.containers.list(all=True, filters={"label": "harness.run"}, ignore_removed=True)
    names = [container.name for container in found if container.labels["harness.run"].startswith(f"{pid}-")]
    client.close()
    return names


@pytest.fixture(scope="module")
def night(tiny: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, object]]:
    """A finished campaign: its state folder and the document that it printed."""
    folder = tmp_path_factory.mktemp("night")
    argv = ["evolve", "--config", config(folder), "--suite", str(tiny), "--max-generations", "2", "--json", "-q"]
    done = subprocess.run(
        [Path(sys.executable).parent / "harness", *argv, "--state", str(folder / "state")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=600,
    )
    return folder / "state", json.loads(done.stdout)


def test_every_generation_gets_one_decision_and_a_page_is_written(night: tuple[Path, dict[str, object]]) -> None:
    state, document = night
    decisions = document["decisions"]
    assert isinstance(decisions, list)
    assert [row["generation"] for row in decisions] == [1, 2]
    assert Path(ROOT / str(document["page"])).read_text(encoding="utf-8").count("REHEARSAL")
    assert (state / "results.tsv").read_text(encoding="utf-8").count("\n") == 3
    endings = document["endings"]
    assert isinstance(endings, dict)
    assert sum(endings.values()) == document["trials"]


def test_the_record_verifies_and_replays(night: tuple[Path, dict[str, object]], harness: Harness) -> None:
    state, _ = night
    assert harness("audit", "verify", "--state", str(state)).returncode == 0
    assert harness("audit", "replay", "--state", str(state)).returncode == 0


def test_a_byte_changed_in_the_ledger_is_found_and_placed(
    night: tuple[Path, dict[str, object]], harness: Harness, tmp_path: Path
) -> None:
    shutil.copytree(night[0], tmp_path / "copy")
    connection = sqlite3.connect(tmp_path / "copy/ledger.db")
    for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        connection.execute(f"DROP TRIGGER {name}")
    [(seq,)] = connection.execute("SELECT max(seq) FROM entry WHERE kind = 'trial'").fetchall()
    connection.execute("UPDATE entry SET body = replace(body, '\"attempts\":1', '\"attempts\":2') WHERE seq = ?", (seq,))
    connection.commit()
    connection.close()
    done = harness("audit", "verify", "--state", str(tmp_path / "copy"))
    assert done.returncode == 1
    assert f"{seq}" in done.stdout


def test_a_byte_changed_in_a_blob_is_found_and_named(
    night: tuple[Path, dict[str, object]], harness: Harness, tmp_path: Path
) -> None:
    shutil.copytree(night[0], tmp_path / "copy")
    blob = next(path for path in (tmp_path / "copy/blobs").rglob("*") if path.is_file() and path.stat().st_size)
    blob.chmod(0o644)
    blob.write_bytes(bytes([blob.read_bytes()[0] ^ 1]) + blob.read_bytes()[1:])
    done = harness("audit", "verify", "--state", str(tmp_path / "copy"))
    assert done.returncode == 1
    assert f"{blob.parent.name}{blob.name}" in done.stdout


def start(tiny: Path, tmp_path: Path) -> subprocess.Popen[str]:
    argv = ["evolve", "--config", config(tmp_path), "--suite", str(tiny), "--max-generations", "2"]
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("HARNESS_", "ANTHROPIC_"))}
    return subprocess.Popen(
        [Path(sys.executable).parent / "harness", *argv, "--state", str(tmp_path / "state")],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for_trials(process: subprocess.Popen[str], count: int) -> None:
    """Read progress until so many trials are done."""
    assert process.stderr is not None
    while count and process.poll() is None:
        count -= process.stderr.readline().startswith("  [")


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.soak)])
def test_an_interrupted_run_leaves_no_container_tells_the_best_and_is_gone_on_with(
    tiny: Path, tmp_path: Path, harness: Harness, number: signal.Signals
) -> None:
    process = start(tiny, tmp_path)
    wait_for_trials(process, 3)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Best:   generation 0" in out
    assert err.endswith("harness: interrupted; the same command goes on from what is recorded\n")
    assert ours(process.pid) == []
    argv = ("evolve", "--config", config(tmp_path), "--suite", str(tiny), "--max-generations", "2", "--json", "-q")
    document = json.loads(harness(*argv, check=True).stdout)
    assert [row["generation"] for row in document["decisions"]] == [1, 2]
    assert set(document["endings"]) <= {"finished", "empty change"}


def test_further_interrupts_do_not_stop_the_removal_of_containers(tiny: Path, tmp_path: Path) -> None:
    argv = [
        "trial",
        "skills/coding",
        "--suite",
        str(tiny),
        "--task",
        first_task(tiny),
        "--agent",
        "command",
        "--model",
        "rehearsal",
    ]
    process = subprocess.Popen(
        [Path(sys.executable).parent / "harness", *argv, "--command", "sleep 60", "--state", str(tmp_path / "state")],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    while len(ours(process.pid)) < 2 and process.poll() is None:
        time.sleep(0.1)
    for _ in range(4):
        process.send_signal(signal.SIGINT)
        time.sleep(0.05)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    at_once, _, later = err.partition("harness: stopping; what runs is ended first, which may take some seconds\n")
    assert "harness: stopping, containers are being removed\n" in later
    assert "stopping" not in at_once
    assert ours(process.pid) == []


@pytest.mark.soak
def test_after_kill_9_nothing_acknowledged_is_lost_and_the_next_run_cleans_up(
    tiny: Path, tmp_path: Path, harness: Harness
) -> None:
    process = start(tiny, tmp_path)
    wait_for_trials(process, 4)
    process.kill()
    process.communicate()
    argv = ("evolve", "--config", config(tmp_path), "--suite", str(tiny), "--max-generations", "2", "--json", "-q")
    document = json.loads(harness(*argv, check=True).stdout)
    assert [row["generation"] for row in document["decisions"]] == [1, 2]
    time.sleep(1)  # the killed run's own containers end when their stdin closes
    assert ours(process.pid) == []
    assert harness("audit", "verify", "--state", str(tmp_path / "state")).returncode == 0


def first_task(suite: Path) -> str:
    return min(path.name for path in (suite / "tasks").iterdir())


def evaluated(harness: Harness, tiny: Path, agent: str) -> dict[str, dict[str, int]]:
    argv = ("evaluate", "skills/coding", "--suite", str(tiny), "--agent", agent, "--model", "rehearsal", "--json", "-q")
    found = json.loads(harness(*argv, check=True).stdout)["rates"]
    assert isinstance(found, dict)
    return found


def test_a_command_that_a_limit_stops_says_so_in_one_sentence_and_exits_4(harness: Harness, tiny: Path) -> None:
    argv = ("evaluate", "skills/coding", "--suite", str(tiny), "--agent", "idle", "-q")
    done = harness(*argv, env={"HARNESS_BUDGET__MAX_CALLS": "60"})
    assert (done.returncode, done.stdout) == (4, "")
    [line] = done.stderr.splitlines()  # the canaries' calls fit; an agent may make 60
    assert re.match(r"harness: not complete: \d+ of the run's 60 model calls are used .* may use 60; ", line)
    assert re.search(r"; 0 of 6 trials were made \(.*\); the same command goes on from here$", line)


def test_the_reference_passes_every_gate_of_every_task(harness: Harness, tiny: Path) -> None:
    assert {gate: rate["passed"] for gate, rate in evaluated(harness, tiny, "reference").items()} == {
        "tests": 6,
        "style": 6,
        "review": 6,
    }


def test_an_idle_agent_passes_no_gate_of_any_task(harness: Harness, tiny: Path) -> None:
    assert {gate: rate["passed"] for gate, rate in evaluated(harness, tiny, "idle").items()} == {
        "tests": 0,
        "style": 0,
        "review": 0,
    }


def test_a_trial_prints_the_object_that_scripts_rely_on(harness: Harness, tiny: Path) -> None:
    task = first_task(tiny)
    done = harness("trial", "skills/coding", "--suite", str(tiny), "--task", task, "--json", "-q", check=True)
    document = json.loads(done.stdout)
    assert set(document) >= {
        "task",
        "variant",
        "ending",
        "cause",
        "gates",
        "dropped",
        "flags",
        "events",
        "load_evidence",
        "usage",
        "seconds",
    }
    assert list(document["gates"]) == ["tests", "style", "review"]
    assert document["load_evidence"]["loaded"] is True


@pytest.mark.parametrize("delivery", ["agents_md", "claude_md", "skill"])
def test_a_skill_delivered_as_a_file_is_read_and_never_part_of_the_change(harness: Harness, tiny: Path, delivery: str) -> None:
    task = first_task(tiny)
    argv = ("trial", "skills/coding", "--suite", str(tiny), "--task", task, "--delivery", delivery, "-q")
    document = json.loads(harness(*argv, "--json", check=True).stdout)
    assert document["load_evidence"]["loaded"] is True
    assert not {"AGENTS.md", "CLAUDE.md", ".claude"} & set(harness(*argv, check=True).stdout.replace("/", " ").split())


def test_a_command_agent_works_in_the_container_with_the_task_on_stdin(harness: Harness, tiny: Path) -> None:
    task = first_task(tiny)
    argv = ("trial", "skills/coding", "--suite", str(tiny), "--task", task, "--agent", "command", "--json", "-q")
    document = json.loads(harness(*argv, "--command", "grep -c Problem - > notes.txt; id -u; ls /", check=True).stdout)
    assert document["ending"] == "finished"
    assert document["gates"]["tests"]["verdict"] == "fail"


def test_a_skill_never_beats_its_own_copy_and_its_trials_are_run(harness: Harness, tiny: Path, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "skills/coding", tmp_path / "copy/coding")
    argv = ("compare", "skills/coding", str(tmp_path / "copy/coding"), "--suite", str(tiny), "--config", config(tmp_path))
    done = harness(*argv, "--json", check=True)
    document = json.loads(done.stdout)
    assert document["decision"] != "promote"
    assert "[8/8]" in done.stderr
    assert json.loads(harness(*argv, "--json", "-q", check=True).stdout) == document


def test_admission_proves_each_task_in_containers(harness: Harness, tiny: Path) -> None:
    done = harness("suite", "check", str(tiny), "--task", first_task(tiny), "--json", "-q", check=True)
    assert [task["admitted"] for task in json.loads(done.stdout)["tasks"]] == [True]


def test_a_reviewer_that_obeys_the_canary_stops_a_run_before_anything_is_reviewed(
    harness: Harness, tiny: Path, tmp_path: Path
) -> None:
    taken_in = {"HARNESS_REHEARSAL__INJECTABLE": "1.0"}
    done = harness("evaluate", "skills/coding", "--suite", str(tiny), "--agent", "reference", "-q", env=taken_in)
    assert (done.returncode, "twice; without it there is no quorum" in done.stderr) == (2, True), done.stderr
    with sqlite3.connect(tmp_path / "state/ledger.db") as ledger:
        kinds = dict(ledger.execute("SELECT kind, count(*) FROM entry GROUP BY kind").fetchall())
        (body,) = ledger.execute("SELECT body FROM entry WHERE kind = 'event'").fetchone()
    ledger.close()
    assert (kinds["event"], "trial" in kinds, kinds["call"] >= 9) == (1, False, True)
    assert set(json.loads(json.loads(body)["data"])["out"]) == {"correctness", "maintainer", "security"}


@pytest.mark.soak
def test_a_nights_disputed_changes_wait_for_a_person_and_an_answer_becomes_a_label(
    night: tuple[Path, dict[str, object]], harness: Harness, tiny: Path
) -> None:
    state, _ = night
    argv = ("reviewers", "queue", "--suite", str(tiny), "--state", str(state))
    waiting = json.loads(harness(*argv, "--json", check=True).stdout)["waiting"]
    assert waiting
    first = waiting[0]
    assert first["reasons"]
    shown = harness(*argv, first["change"], check=True).stdout
    assert "===== original =====" in shown
    assert [word for word in ("baseline", "variant", "repeat") if f"{word}/" in shown] == []
    harness(*argv, first["change"], "--yes", "--reason", "it does what was asked", check=True)
    left = json.loads(harness(*argv, "--json", check=True).stdout)["waiting"]
    assert [one["change"] for one in left] == [one["change"] for one in waiting[1:]]


@pytest.mark.soak
def test_a_campaigns_approval_rate_is_corrected_by_the_panels_calibration(
    night: tuple[Path, dict[str, object]], harness: Harness, tiny: Path, tmp_path: Path
) -> None:
    state = tmp_path / "copy"
    shutil.copytree(night[0], state, ignore=shutil.ignore_patterns("reviewers"))
    common = ("--suite", str(tiny), "--state", str(state), "--json")
    harness("reviewers", "calibrate", *common, "-q", check=True)
    found = json.loads(harness("reviewers", "agreement", *common, check=True).stdout)["approvals"]
    low, high = found["corrected"]["interval"]
    assert 0 <= low <= found["hits"] / found["of"] <= high <= 1
    assert found["corrected"]["rate"] == pytest.approx(found["hits"] / found["of"])
