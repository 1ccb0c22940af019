"""Another agent from the package registry, installed in the agent's image and driven by the `command` kind through the relay."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.cli.conftest import ROOT, Harness

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.docker, pytest.mark.soak]


def test_mini_swe_agent_works_by_the_example_reads_the_skill_and_is_metered(harness: Harness, tiny: Path) -> None:
    task = min(path.name for path in (tiny / "tasks").iterdir())
    example = ROOT / "docs/examples/mini-swe-agent.toml"
    argv = ("trial", "skills/coding", "--config", str(example), "--suite", str(tiny), "--task", task, "--json", "-q")
    document = json.loads(harness(*argv, check=True, limit=1500).stdout)
    assert document["ending"] == "finished", document["cause"]
    assert document["load_evidence"]["loaded"] is True
    assert document["load_evidence"]["how"] == "in message 1 of request 1"
    assert document["usage"]["calls"] > 3
    assert {gate["verdict"] for gate in document["gates"].values()} <= {"pass", "fail"}
