from pathlib import Path

import pytest

from harness.config import campaign_id, campaign_settings, load_config
from harness.errors import ConfigError


def write(folder: Path, text: str) -> Path:
    path = folder / "harness.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_flag_wins_over_the_environment_and_that_over_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, "[decision]\nalpha = 0.01\nlooks = 3\n[proposer]\nbatch = 2\n")
    monkeypatch.setenv("HARNESS_DECISION__LOOKS", "4")
    monkeypatch.setenv("HARNESS_PROPOSER__BATCH", "5")
    config = load_config(path, {"proposer": {"batch": 6}})
    assert (config.decision.alpha, config.decision.looks, config.proposer.batch) == (0.01, 4, 6)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[decision]\nalhpa = 0.1\n", "unknown key 'decision.alhpa'; known here: alpha, looks"),
        ("[decisions]\nalpha = 0.1\n", "unknown key 'decisions'; known here: skill, suite"),
        ("[decision]\nalpha = 3\n", "decision.alpha = 3: Input should be less than 0.5"),
        ("[agent]\nkind = 'gpt'\n", "agent.kind = 'gpt'"),
        ("[decision\n", "not valid TOML"),
    ],
)
def test_a_wrong_configuration_names_file_key_and_what_is_allowed(tmp_path: Path, text: str, message: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(ConfigError) as caught:
        load_config(path, {})
    assert str(path) in str(caught.value)
    assert message in str(caught.value)


def test_a_configuration_that_is_no_text_is_named(tmp_path: Path) -> None:
    path = write(tmp_path, "")
    path.write_bytes(b"\xff")
    with pytest.raises(ConfigError, match=r"harness\.toml: not valid TOML"):
        load_config(path, {})


def test_a_named_configuration_file_must_exist(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such configuration file"):
        load_config(tmp_path / "none.toml", {})


def test_seed_budget_jobs_output_and_how_long_is_waited_are_no_part_of_a_campaigns_identity() -> None:
    plain = load_config(None, {})
    flags = {"budget": {"max_usd": 3}, "executor": {"jobs": 7}, "output": {"state": "x"}, "model": {"seconds": 60}}
    moved = load_config(None, flags, seed=9)
    assert campaign_settings(plain, skill="s") == campaign_settings(moved, skill="s")


@pytest.mark.parametrize("flags", [{"decision": {"alpha": 0.1}}, {"agent": {"kind": "idle"}}, {"proposer": {"memory": "none"}}])
def test_agent_gates_decision_and_proposer_are_part_of_it(flags: dict[str, dict[str, object]]) -> None:
    plain, other = load_config(None, {}), load_config(None, flags)
    assert campaign_id(campaign_settings(plain, skill="s")) != campaign_id(campaign_settings(other, skill="s"))


def test_what_stands_for_a_file_never_hides_a_section_of_the_settings() -> None:
    with pytest.raises(ValueError, match="agent would hide"):
        campaign_settings(load_config(None, {}), agent="1.2.3")
