"""The reviewers' commands against the rehearsal service, without any container."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import ROOT, Harness

LINE = {"instruction": "Do it.", "files": [{"path": "a.py", "before": "x = 1\n", "after": "x = 2\n"}]}


@pytest.fixture(scope="module")
def calibrated(tiny: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, object]]:
    """A state folder after a calibration on six tasks, and what that printed."""
    state = tmp_path_factory.mktemp("calibrated")
    argv = ["reviewers", "calibrate", "--suite", str(tiny), "--state", str(state), "--json", "-q"]
    done = subprocess.run(
        [Path(sys.executable).parent / "harness", *argv], cwd=ROOT, capture_output=True, text=True, check=True, timeout=300
    )
    return state, json.loads(done.stdout)


@pytest.fixture
def alone(tmp_path: Path) -> dict[str, str]:
    """The environment in which one reviewer sits alone: a third of the questions."""
    folder = tmp_path / "alone"
    folder.mkdir()
    shutil.copy(ROOT / "reviewers/security.md", folder)
    return {"HARNESS_GATES__REVIEW__REVIEWERS": str(folder)}


def test_too_few_changes_earn_no_seat_and_the_figures_are_told(calibrated: tuple[Path, dict[str, object]]) -> None:
    _, document = calibrated
    assert document["changes"] == {"good": 6, "behaviour": 6, "scope": 6, "debris": 6, "security": 6}
    reviewers = document["reviewers"]
    assert isinstance(reviewers, list)
    assert [one["name"] for one in reviewers] == ["correctness", "maintainer", "security"]
    for one in reviewers:
        assert (one["tpr"], one["tnr"], one["seat"], one["cost_usd"]) == (1.0, 1.0, "provisional", 0.0)
        assert one["reason"] == "only 6 labelled changes for good changes approved, 40 are needed"
        assert 0.6 < one["bounds"]["tpr"] < 0.7


def test_what_was_recorded_is_a_sound_chain_and_comes_to_agreement(
    calibrated: tuple[Path, dict[str, object]], harness: Harness, tiny: Path
) -> None:
    state, _ = calibrated
    assert harness("audit", "verify", "--state", str(state / "reviewers")).returncode == 0
    found = json.loads(
        harness("reviewers", "agreement", "--suite", str(tiny), "--state", str(state), "--json", check=True).stdout
    )
    assert found["right"]["panel"] == {"hits": 30, "of": 30}
    assert (found["approved_good"], found["refused_bad"]) == ({"hits": 6, "of": 6}, {"hits": 24, "of": 24})
    assert found["approvals"] is None
    assert len(found["kappa"]) == 3


def test_a_provisional_seat_is_listed_and_told_before_a_campaign(
    calibrated: tuple[Path, dict[str, object]], harness: Harness, tiny: Path
) -> None:
    state, _ = calibrated
    shown = json.loads(harness("reviewers", "list", "--suite", str(tiny), "--state", str(state), "--json", check=True).stdout)
    assert {one["name"]: one["seat"] for one in shown["reviewers"]} == dict.fromkeys(
        ("correctness", "maintainer", "security"), "provisional"
    )


@pytest.mark.soak
def test_batches_come_to_the_same_figures(
    calibrated: tuple[Path, dict[str, object]], harness: Harness, tiny: Path, alone: dict[str, str]
) -> None:
    _, live = calibrated
    env = alone | {"HARNESS_GATES__REVIEW__BATCH": "true"}
    found = json.loads(harness("reviewers", "calibrate", "--suite", str(tiny), "--json", "-q", env=env, check=True).stdout)
    reviewers = live["reviewers"]
    assert isinstance(reviewers, list)
    assert found["reviewers"] == [one for one in reviewers if one["name"] == "security"]


def test_agreement_without_a_calibration_says_what_to_run(harness: Harness) -> None:
    done = harness("reviewers", "agreement")
    assert (done.returncode, "harness reviewers calibrate" in done.stderr) == (2, True)


def test_a_reviewer_that_obeys_may_not_sit_in_any_campaign(harness: Harness, tiny: Path, alone: dict[str, str]) -> None:
    taken_in = alone | {"HARNESS_REHEARSAL__INJECTABLE": "1.0"}
    found = json.loads(harness("reviewers", "calibrate", "--suite", str(tiny), "--json", "-q", env=taken_in, check=True).stdout)
    assert {one["seat"] for one in found["reviewers"]} == {"out"}
    done = harness("evaluate", "skills/coding", "--suite", str(tiny), "--agent", "reference", env=alone)
    assert (done.returncode, "may not sit" in done.stderr, "approved 6 of 6 bad changes" in done.stderr) == (2, True, True)


def test_the_whole_panel_votes_on_one_change_and_everything_is_shown(harness: Harness, tiny: Path, tmp_path: Path) -> None:
    task = min(path.name for path in (tiny / "tasks").iterdir())
    done = harness("reviewers", "vote", "--suite", str(tiny), "--task", task, "-q", check=True)
    for part in (
        "===== original =====",
        "===== stripped =====",
        "correctness (original): yes",
        "COR-1",
        "raw: {",
        "pass: 4 of 4",
    ):
        assert part in done.stdout
    document = json.loads(harness("reviewers", "vote", "--suite", str(tiny), "--task", task, "--json", "-q", check=True).stdout)
    assert (document["outcome"], len(document["votes"]), document["cost_usd"]) == ("pass", 6, 0.0)
    asked = [vote for vote in document["votes"] if vote["stop"]]
    assert len(asked) >= 3
    for vote in asked:
        assert len(vote["protocol"]) == len(vote["prompt"]) == len(vote["change"]) == len(vote["persona_id"]) == 64
    empty = tmp_path / "empty.patch"
    empty.write_text("", encoding="utf-8")
    done = harness("reviewers", "vote", "--suite", str(tiny), "--task", task, "--patch", str(empty))
    assert (done.returncode, str(empty) in done.stderr) == (2, True)


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (("vote", "--task", "no-such"), "no task 'no-such'"),
        (("import", "README.md"), "README.md:1"),
        (("queue", "--yes"), "need the id of a change"),
        (("queue", "abc", "--yes"), "needs --reason"),
        (("queue", "abc", "--no", "--reason", "so"), "needs --kind"),
        (("queue", "abc", "--yes", "--reason", "so"), "no change 'abc' waits"),
        (("calibrate", "--model", "claude-sonnet-5-5"), "ANTHROPIC_API_KEY"),
    ],
)
def test_bad_input_is_one_message_and_nothing_is_kept(harness: Harness, tiny: Path, argv: tuple[str, ...], words: str) -> None:
    suite = () if argv[0] == "import" else ("--suite", str(tiny))
    done = harness("reviewers", *argv, *suite)
    assert (done.returncode, words in done.stderr, done.stderr.count("\n")) == (3 if "--model" in argv else 2, True, 1)


def test_a_changed_persona_is_another_reviewer_whose_calibration_is_void(
    calibrated: tuple[Path, dict[str, object]], harness: Harness, tiny: Path, tmp_path: Path
) -> None:
    state, _ = calibrated
    folder = tmp_path / "reviewers"
    folder.mkdir()
    for path in (ROOT / "reviewers").iterdir():
        text = path.read_text(encoding="utf-8")
        (folder / path.name).write_text(text + "\nLook twice.\n" * (path.stem == "security"), encoding="utf-8")
    env = {"HARNESS_GATES__REVIEW__REVIEWERS": str(folder)}
    argv = ("reviewers", "list", "--suite", str(tiny), "--state", str(state), "--json")
    shown = json.loads(harness(*argv, env=env, check=True).stdout)
    reasons = {one["name"]: one["reason"] for one in shown["reviewers"]}
    assert reasons["security"] == "its calibration is void: the persona's file has changed"
    assert reasons["correctness"].startswith("only 6 labelled changes")


@pytest.mark.soak
def test_a_dispute_between_labels_waits_until_a_person_settles_it(harness: Harness, tiny: Path, tmp_path: Path) -> None:
    suite = ("--suite", str(tiny))
    file = tmp_path / "history.jsonl"
    lines = [LINE | {"accepted": True, "who": "ada"}, LINE | {"accepted": False, "kind": "scope", "who": "kim"}]
    file.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    first = json.loads(harness("reviewers", "import", str(file), "--json", check=True).stdout)
    (change,) = first["disputed"]
    assert (first["read"], first["new"], first["settled"]) == (2, 2, 0)
    assert json.loads(harness("reviewers", "import", str(file), "--json", check=True).stdout)["new"] == 0
    waiting = json.loads(harness("reviewers", "queue", "--json", *suite, check=True).stdout)["waiting"]
    assert [(one["change"], one["reasons"]) for one in waiting] == [
        (change, ["labels contradict each other (ada: accepted, kim: scope)"])
    ]
    assert "+x = 2" in harness("reviewers", "queue", change, *suite, check=True).stdout
    answer = ("queue", change, "--no", "--kind", "scope", "--reason", "nobody asked for two", "--who", "lee")
    assert "Kept" in harness("reviewers", *answer, *suite, check=True).stdout
    assert json.loads(harness("reviewers", "queue", "--json", *suite, check=True).stdout)["waiting"] == []
    assert json.loads(harness("reviewers", "import", str(file), "--json", check=True).stdout)["settled"] == 1
