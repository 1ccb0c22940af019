"""Another agent from the package registry, installed in the agent's image and driven by the `command` kind through the relay."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.cli.conftest import ROOT, Harness

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.docker, pytest.mark.soak]


@pytest.mark.parametrize(("example", "calls"), [("mini-swe-agent", 4), ("aider", 2)])
def test_an_agent_works_by_its_example_reads_the_skill_and_is_metered(
    harness: Harness, tiny: Path, example: str, calls: int
) -> None:
    task = min(path.name for path in (tiny / "tasks").iterdir())
    config = ROOT / f"docs/examples/{example}.toml"
    argv = ("trial", "skills/coding", "--config", str(config), "--suite", str(tiny), "--task", task, "--json", "-q")
    document = json.loads(harness(*argv, check=True, limit=1800).stdout)
    assert document["ending"] == "finished", document["cause"]
    assert document["load_evidence"]["loaded"] is True
    assert document["load_evidence"]["how"].endswith("of request 1")
    assert document["usage"]["calls"] >= calls  # the reviewers' among them
    assert {gate["verdict"] for gate in document["gates"].values()} <= {"pass", "fail"}
