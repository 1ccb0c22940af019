"""Every piece that `harness init` writes or names, broken one at a time: one fault, told by itself, with what to do."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.config import Config, load_config
from harness.starter.files import plan, write
from harness.starter.project import look
from harness.suites.admit import Admission, write_record
from harness.suites.catalog import load_suite
from harness.wiring.checks import pieces

POCKET = Path(__file__).parents[2] / "task_suites/pocket"


def git(folder: Path, *argv: str) -> None:
    subprocess.run(["git", "-c", "user.name=ada", "-c", "user.email=ada@localhost", *argv], cwd=folder, check=True)


@pytest.fixture
def team(tmp_path: Path) -> Path:
    """A repository with instructions and a suite of its own, made ready."""
    root = tmp_path / "team"
    root.mkdir()
    (root / "AGENTS.md").write_text("# How we work\n\nRead the issue.\n", encoding="utf-8")
    shutil.copytree(POCKET, root / "task_suites/own", ignore=shutil.ignore_patterns("projects", "build.py"))
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "AGENTS.md")
    git(root, "commit", "-q", "-m", "first")
    write(root, plan(look(root), None, None))
    return root


def configured(root: Path, **sections: dict[str, object]) -> Config:
    """The settings that init wrote, with its relative paths below the repository."""
    flags: dict[str, dict[str, object]] = {
        "skill": {"path": root / "AGENTS.md"},
        "suite": {"path": root / "task_suites/own"},
        "gates": {"review": {"reviewers": root / "reviewers"}},
        "output": {"state": root / ".harness"},
    }
    return load_config(root / "harness.toml", flags | {name: flags.get(name, {}) | more for name, more in sections.items()})


def wrong(config: Config) -> dict[str, str]:
    return {piece.name: piece.found for piece in pieces(config) if not piece.well}


def test_what_init_wrote_is_well_and_every_piece_is_named(team: Path) -> None:
    found = pieces(configured(team))
    assert [piece.found for piece in found if not piece.well] == []
    assert [piece.name for piece in found] == [
        *("skill", "suite", "rule packs", "split", "admission", "agent", "delivery", "reviewers", "models", "calibration"),
        "output",
    ]
    assert {piece.name: piece.found for piece in found}["output"].startswith("branches, on harness/team; ")


def cut_reviewer(root: Path) -> None:
    (root / "reviewers/security.md").write_text("---\nname: [\n---\n", encoding="utf-8")


def cut_pack(root: Path) -> None:
    (root / "task_suites/own/packs/recur.toml").write_text("[pack\n", encoding="utf-8")
    suite = load_suite(root / "task_suites/own")  # admitted anew, so that the pack is the one fault
    write_record(
        root / "task_suites/own/admission.json",
        suite,
        [Admission(task=it.id, reasons=(), flip_rate=0.0, probes=1) for it in suite.tasks],
    )


def check_out(root: Path) -> None:
    git(root, "switch", "-q", "-c", "harness/team")


@pytest.mark.parametrize(
    ("broken", "piece", "words"),
    [
        (lambda root: (root / "AGENTS.md").write_bytes(b"\xff"), "skill", "AGENTS.md"),
        (lambda root: (root / "task_suites/own/suite.toml").unlink(), "suite", "suite.toml: not found; name a folder"),
        (cut_pack, "rule packs", "pack recur: not a rule pack"),
        (lambda root: (root / "task_suites/own/admission.json").unlink(), "admission", "run: harness suite check"),
        (cut_reviewer, "reviewers", "security.md"),
        (lambda root: (root / ".gitignore").unlink(), "output", "add it to .gitignore"),
        (check_out, "output", "branch harness/team is checked out"),
    ],
)
def test_a_fault_is_told_once_by_its_own_piece_with_what_to_do(
    team: Path, broken: Callable[[Path], object], piece: str, words: str
) -> None:
    broken(team)
    found = wrong(configured(team))
    assert list(found) == [piece]
    assert words in found[piece]


@pytest.mark.parametrize(
    ("sections", "piece", "words"),
    [
        ({"agent": {"kind": "command"}}, "agent", "needs --command"),
        ({"agent": {"kind": "claude_code", "cli": "/nowhere/claude"}}, "agent", "/nowhere/claude: no such program"),
        ({"output": {"tag": "two words"}}, "output", "is no name for a branch"),
    ],
)
def test_a_setting_that_cannot_work_is_told(team: Path, sections: dict[str, dict[str, object]], piece: str, words: str) -> None:
    found = wrong(configured(team, **sections))
    assert list(found) == [piece]
    assert words in found[piece]


def test_several_faults_are_all_told(team: Path) -> None:
    (team / ".gitignore").unlink()
    cut_reviewer(team)
    (team / "AGENTS.md").unlink()
    assert sorted(wrong(configured(team))) == ["output", "reviewers", "skill"]


def test_too_few_holdout_tasks_are_a_fault_until_they_are_accepted(team: Path) -> None:
    suite = team / "task_suites/own/suite.toml"
    kept, holdout = [], 0
    for line in suite.read_text(encoding="utf-8").splitlines():
        name = line.partition(" =")[0].strip('"')
        task = team / "task_suites/own/tasks" / name / "task.toml"
        if task.is_file() and 'split = "holdout"' in task.read_text(encoding="utf-8"):
            holdout += 1
            if holdout > 5:
                continue
        kept.append(line)
    suite.write_text("\n".join(kept) + "\n", encoding="utf-8")
    assert "5 holdout tasks are too few" in wrong(configured(team))["split"]
    accepted = {"small_holdout": "I accept unattended promotion on few tasks"}
    assert wrong(configured(team, decision=accepted)) == {}
