"""The whole bundled suite, long enough for `make soak`: its admission, its two controls, and the loop's own demonstration."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.cli.conftest import ROOT, Harness

if TYPE_CHECKING:
    from pathlib import Path

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


def test_a_rehearsal_promotes_the_helpful_variant_and_is_right_about_every_other(harness: Harness, tmp_path: Path) -> None:
    argv = ("evolve", "--suite", POCKET, "--seed", "2", "--batch", "4", "--max-generations", "4", "--json", "-q")
    document = json.loads(harness(*argv, check=True, limit=2400).stdout)
    decisions = {row["decision"] for row in document["decisions"]}
    assert {"promote", "reject"} <= decisions
    assert {row["right"] for row in document["decisions"]} <= {True, None}
    assert (ROOT / document["page"]).is_file()
    assert harness("audit", "verify").returncode == 0
    assert (tmp_path / "state/best/coding/SKILL.md").is_file()
