import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from harness.config import load_config
from harness.errors import InputError, SkillError
from harness.review.personas import load_personas
from harness.skill_io import read_skill
from harness.starter.files import WORKFLOW, plan, write
from harness.starter.project import look


def begin(root: Path, skill: Path | None = None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    written = write(root, plan(look(root), skill, None))
    return written.new, written.kept


def test_a_bare_folder_gets_a_skill_reviewers_settings_and_a_workflow_that_load(tmp_path: Path) -> None:
    new, kept = begin(tmp_path)
    config = load_config(tmp_path / "harness.toml", {})
    assert {"harness.toml", "skills/coding/SKILL.md", "reviewers/security.md", WORKFLOW, ".gitignore"} <= set(new)
    assert kept == ()
    assert read_skill(tmp_path / config.skill.path).name == "coding"
    assert len(load_personas(tmp_path / config.gates.review.reviewers)) == 3
    assert (config.suite.path / "suite.toml").is_file()
    assert config.output.strategy == "snapshots"


def test_instructions_that_are_there_are_improved_in_place_and_delivered_as_what_they_are(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("Be careful.\n")
    (tmp_path / ".git").mkdir()
    begin(tmp_path)
    config = load_config(tmp_path / "harness.toml", {})
    assert (config.skill.path, config.agent.delivery, config.output.strategy) == (Path("AGENTS.md"), "agents_md", "branches")
    assert not (tmp_path / "skills").exists()


def test_nothing_that_is_there_is_changed_and_a_second_time_writes_nothing(tmp_path: Path) -> None:
    (tmp_path / "reviewers").mkdir()
    (tmp_path / "reviewers/security.md").write_text("ours")
    (tmp_path / ".gitignore").write_text("dist")
    begin(tmp_path)
    assert (tmp_path / "reviewers/security.md").read_text() == "ours"
    assert (tmp_path / ".gitignore").read_text() == "dist\n.harness/\n"
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    new, _ = begin(tmp_path)
    assert new == ()
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_instructions_that_are_no_skill_are_refused_before_anything_is_written(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("")
    with pytest.raises(SkillError, match=r"AGENTS\.md: is empty"):
        begin(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["AGENTS.md"]


@pytest.mark.parametrize(("name", "words"), [("reviewers", "reviewers: is a file"), (".github", r"\.github: is a file")])
def test_a_file_where_a_folder_is_needed_is_refused_before_anything_is_written(tmp_path: Path, name: str, words: str) -> None:
    (tmp_path / name).write_text("ours")
    with pytest.raises(InputError, match=words):
        begin(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_folder_where_gits_list_should_be_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").mkdir()
    with pytest.raises(InputError, match=r"\.gitignore: is a folder"):
        begin(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [".gitignore"]


def workflow(root: Path) -> list[dict[str, Any]]:
    begin(root)
    steps = yaml.safe_load((root / WORKFLOW).read_text())["jobs"]["nightly"]["steps"]
    assert isinstance(steps, list)
    return steps


def test_secrets_reach_one_step_of_the_workflow_through_its_environment_and_no_command(tmp_path: Path) -> None:
    steps = workflow(tmp_path)
    assert not [step for step in steps if "secrets." in step.get("run", "") or "github.token" in step.get("run", "")]
    assert [step["name"] for step in steps if "secrets." in str(step.get("env"))] == ["Night"]


def test_the_workflows_commands_are_valid_shell_without_expressions_in_them(tmp_path: Path) -> None:
    for step in workflow(tmp_path):
        command = step.get("run", "")
        assert "${{" not in command
        assert subprocess.run(["bash", "-n", "-c", command], check=False).returncode == 0


def test_the_pull_request_step_pushes_what_was_promoted_and_makes_or_updates_one_request(tmp_path: Path) -> None:
    step = next(step for step in workflow(tmp_path / "team") if step.get("name") == "Pull request")
    git = ("git", "-c", "user.name=a", "-c", "user.email=a@b")
    team, origin = tmp_path / "team", tmp_path / "origin"
    for command in (
        (*git, "init", "-q", "--bare", str(origin)),
        (*git, "init", "-q", "-b", "main"),
        (*git, "commit", "-q", "--allow-empty", "-m", "first"),
        (*git, "branch", "harness/merged"),
        (*git, "checkout", "-q", "-b", "harness/coding"),
        (*git, "commit", "-q", "--allow-empty", "-m", "Promote generation 3"),
        (*git, "checkout", "-q", "main"),
        (*git, "remote", "add", "origin", str(origin)),
    ):
        subprocess.run(command, cwd=team, check=True)
    (tmp_path / "bin").mkdir()
    called = tmp_path / "called"
    (tmp_path / "bin/gh").write_text(f'#!/bin/sh\nprintf "%s\\n" "$*" >> {called}\n[ "$2" = create ]\n')
    (tmp_path / "bin/gh").chmod(0o755)
    env = {"PATH": f"{tmp_path / 'bin'}:/usr/bin:/bin"}
    subprocess.run(["bash", "-e", "-c", step["run"]], cwd=team, env=env, check=True, capture_output=True)
    assert called.read_text().splitlines() == [
        "pr edit harness/coding --title Promote generation 3 --body-file summary.md",
        "pr create --head harness/coding --title Promote generation 3 --body-file summary.md",
    ]
    heads = subprocess.run(["git", "for-each-ref", "--format=%(refname)"], cwd=origin, capture_output=True, text=True, check=True)
    assert heads.stdout.split() == ["refs/heads/harness/coding"]
