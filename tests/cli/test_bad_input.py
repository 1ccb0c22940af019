"""Bad input: one message that says what, where and what to do, the right exit code, nothing spent, nothing half-written."""

import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import FEW, Harness, small_suite

NOWHERE = {"DOCKER_HOST": "unix:///nonexistent/docker.sock"}
KEY = {"ANTHROPIC_API_KEY": "k"}
SMALL = {"HARNESS_DECISION__SMALL_HOLDOUT": FEW}


def refused(harness: Harness, tmp_path: Path, code: int, *argv: str, env: dict[str, str] | None = None) -> str:
    done = harness(*argv, env=NOWHERE | (env or {}))
    assert (done.returncode, done.stdout) == (code, "")
    assert not (tmp_path / "state").exists()
    [line] = done.stderr.splitlines()
    return line


def test_docker_not_reachable_says_where_it_was_looked_for(harness: Harness, tmp_path: Path, tiny: Path) -> None:
    done = harness("evolve", "--suite", str(tiny), "--max-generations", "1", env=NOWHERE | SMALL)
    assert done.returncode == 3
    assert "unix:///nonexistent/docker.sock" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "state/ledger.db").exists()


def test_a_live_model_without_a_key_names_the_variable_and_the_way_without_one(harness: Harness, tmp_path: Path) -> None:
    line = refused(harness, tmp_path, 3, "evolve", "--model", "claude-sonnet-5-5", "--max-usd", "5")
    assert "ANTHROPIC_API_KEY" in line
    assert "--model rehearsal" in line


def test_an_unknown_model_lists_the_known_ones(harness: Harness, tmp_path: Path) -> None:
    line = refused(harness, tmp_path, 2, "evolve", "--model", "gpt-x", "--max-usd", "5", env=KEY)
    assert "'gpt-x'" in line
    assert "claude-sonnet-5-5" in line


def test_the_agents_own_model_may_not_review_itself_unless_allowed(harness: Harness, tmp_path: Path) -> None:
    line = refused(harness, tmp_path, 2, "evolve", "--model", "claude-sonnet-5-5", "--max-usd", "5", env=KEY)
    assert "allow_self_review" in line


def test_a_suite_without_holdout_is_refused(harness: Harness, tmp_path: Path) -> None:
    suite = small_suite(tmp_path / "suite", {"dev": 2})
    assert "no holdout tasks" in refused(harness, tmp_path, 2, "evolve", "--suite", str(suite))


def test_too_few_holdout_tasks_need_words_in_the_configuration(harness: Harness, tmp_path: Path, tiny: Path) -> None:
    assert FEW in refused(harness, tmp_path, 2, "evolve", "--suite", str(tiny))


def test_a_missing_suite_names_what_was_looked_for(harness: Harness, tmp_path: Path) -> None:
    assert "suite.toml: not found" in refused(harness, tmp_path, 2, "evolve", "--suite", str(tmp_path))


@pytest.mark.parametrize(
    ("text", "words"), [("", "must begin with front matter"), ("---\nname: x\n---\nx", "description is missing or empty")]
)
def test_an_empty_or_malformed_skill_is_refused(harness: Harness, tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "x/SKILL.md").write_text(text, encoding="utf-8")
    line = refused(harness, tmp_path, 2, "evolve", "--skill", str(tmp_path / "x"))
    assert words in line
    assert str(tmp_path / "x/SKILL.md") in line


def test_an_unknown_configuration_key_is_named_with_the_known_ones(harness: Harness, tmp_path: Path) -> None:
    path = tmp_path / "harness.toml"
    path.write_text("[decision]\nalhpa = 0.1\n", encoding="utf-8")
    line = refused(harness, tmp_path, 2, "evolve", "--config", str(path))
    assert "'decision.alhpa'" in line
    assert "alpha, looks" in line


def test_a_task_without_a_valid_admission_is_refused_with_the_command_that_admits_it(
    harness: Harness, tmp_path: Path, tiny: Path
) -> None:
    shutil.copytree(tiny, tmp_path / "suite")
    (tmp_path / "suite/admission.json").unlink()
    argv = ("evolve", "--suite", str(tmp_path / "suite"))
    line = refused(harness, tmp_path, 2, *argv, env=SMALL)
    assert f"harness suite check {tmp_path / 'suite'} --record" in line


def test_a_task_whose_reference_failed_admission_is_refused_with_its_reason(harness: Harness, tmp_path: Path, tiny: Path) -> None:
    shutil.copytree(tiny, tmp_path / "suite")
    record = tmp_path / "suite/admission.json"
    text = record.read_text(encoding="utf-8").replace('"admitted": true', '"admitted": false', 1)
    record.write_text(text.replace('"reasons": []', '"reasons": ["reference, run 1: tests should pass"]', 1), encoding="utf-8")
    argv = ("evolve", "--suite", str(tmp_path / "suite"))
    line = refused(harness, tmp_path, 2, *argv, env=SMALL)
    assert "quarantined (reference, run 1: tests should pass)" in line


def test_a_changed_task_is_refused_by_its_hash(harness: Harness, tmp_path: Path, tiny: Path) -> None:
    shutil.copytree(tiny, tmp_path / "suite")
    changed = next((tmp_path / "suite/tasks").glob("*/instruction.md"))
    changed.write_text("other\n", encoding="utf-8")
    line = refused(harness, tmp_path, 2, "evolve", "--suite", str(tmp_path / "suite"))
    assert "content differs from the hash" in line


def test_an_unknown_task_suggests_near_ones(harness: Harness, tmp_path: Path, tiny: Path) -> None:
    name = next((tiny / "tasks").iterdir()).name
    line = refused(harness, tmp_path, 2, "trial", "skills/coding", "--suite", str(tiny), "--task", f"{name}x")
    assert name in line


def test_the_command_agent_needs_its_command(harness: Harness, tmp_path: Path) -> None:
    assert "--command" in refused(harness, tmp_path, 2, "evaluate", "skills/coding", "--agent", "command")


@pytest.mark.parametrize("argv", [("evlove",), ("evolve", "--sed", "1"), ("audit",)])
def test_a_wrong_command_line_exits_2(harness: Harness, argv: tuple[str, ...]) -> None:
    assert harness(*argv).returncode == 2


def test_an_audit_without_a_ledger_says_so(harness: Harness, tmp_path: Path) -> None:
    assert "no ledger here" in refused(harness, tmp_path, 2, "audit", "verify")
