"""A small campaign with the real Claude Code: container, relay, rehearsal service and ledger, as a person would start it."""

from __future__ import annotations

import json
import shutil
import sqlite3
from typing import TYPE_CHECKING

import pytest

from harness.agents.claude_cli import find_cli
from harness.errors import ConfigError
from harness.models.rehearsal.deck import deck
from tests.cli.conftest import FEW, ROOT, Harness

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.docker, pytest.mark.soak]
CONFIG = f"""
seed = 7
[agent]
kind = "claude_code"
delivery = "skill"
[decision]
alpha = 0.45
looks = 2
small_holdout = "{FEW}"
[proposer]
batch = 2
"""


@pytest.fixture
def config(tmp_path: Path) -> str:
    try:
        find_cli("")
    except ConfigError as error:
        pytest.skip(str(error))
    (tmp_path / "harness.toml").write_text(CONFIG, encoding="utf-8")
    return str(tmp_path / "harness.toml")


def trials(state: Path) -> list[dict[str, object]]:
    connection = sqlite3.connect(state / "ledger.db")
    rows = [json.loads(body) for (body,) in connection.execute("SELECT body FROM entry WHERE kind = 'trial'")]
    connection.close()
    return rows


def test_a_campaign_runs_with_the_real_program_and_its_record_names_the_version(
    harness: Harness, tiny: Path, tmp_path: Path, config: str
) -> None:
    argv = ("evolve", "--config", config, "--suite", str(tiny), "--max-generations", "2", "--json", "-q")
    document = json.loads(harness(*argv, check=True, limit=1500).stdout)
    assert [row["generation"] for row in document["decisions"]] == [1, 2]
    assert {row["right"] for row in document["decisions"]} <= {True, None}
    assert set(document["endings"]) <= {"finished", "empty change"}
    assert {row["loaded"] for row in trials(tmp_path / "state")} == {True}
    connection = sqlite3.connect(tmp_path / "state/ledger.db")
    [(row,)] = connection.execute("SELECT body FROM entry WHERE kind = 'campaign'").fetchall()
    connection.close()
    assert json.loads(row)["versions"]["claude-code"] == find_cli("").version
    assert harness("audit", "verify").returncode == 0


def test_a_variant_that_the_program_never_loads_is_not_promoted_however_good_it_reads(
    harness: Harness, tiny: Path, tmp_path: Path, config: str
) -> None:
    good = next(card.text for card in deck() if card.opening and card.kind == "helpful")
    shutil.copytree(ROOT / "skills/coding", tmp_path / "never/coding")
    entry = tmp_path / "never/coding/SKILL.md"
    text = entry.read_text(encoding="utf-8").replace("\n---\n", "\ndisable-model-invocation: true\n---\n", 1)
    entry.write_text(f"{text}\n- {good}\n", encoding="utf-8")
    argv = ("compare", "skills/coding", str(tmp_path / "never/coding"), "--config", config, "--suite", str(tiny), "--json", "-q")
    document = json.loads(harness(*argv, check=True, limit=1500).stdout)
    assert document["decision"] != "promote"
    rows = trials(tmp_path / "state")
    assert {(row["arm"], row["loaded"]) for row in rows} == {("baseline", True), ("variant", False)}
