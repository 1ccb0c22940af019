"""`harness doctor`: what is there and what is wrong, with the fix named."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Harness

NOWHERE = {"DOCKER_HOST": "unix:///nonexistent/docker.sock"}


def checks(text: str) -> dict[str, dict[str, object]]:
    return {check["name"]: check for check in json.loads(text)["checks"]}


def test_an_engine_that_does_not_answer_is_wrong_with_a_fix_and_all_else_is_still_told(harness: Harness) -> None:
    done = harness("doctor", "--json", env=NOWHERE)
    found = checks(done.stdout)
    assert (done.returncode, json.loads(done.stdout)["well"]) == (1, False)
    assert (found["docker"]["well"], "make setup" in str(found["docker"]["fix"])) == (False, True)
    assert "unix:///nonexistent/docker.sock" in str(found["docker"]["found"])
    assert {"python", "git", "disk", "key"} <= found.keys()


def test_a_key_is_wrong_only_where_a_live_model_needs_it(harness: Harness) -> None:
    rehearsed, live, keyed = (
        checks(harness("doctor", "--json", *argv, env=NOWHERE | env).stdout)["key"]
        for argv, env in (
            ((), {}),
            (("--model", "claude-sonnet-5-5"), {}),
            (("--model", "claude-sonnet-5-5"), {"ANTHROPIC_API_KEY": "k"}),
        )
    )
    assert [check["well"] for check in (rehearsed, live, keyed)] == [True, False, True]
    assert "ANTHROPIC_API_KEY" in str(live["fix"])


def test_for_people_every_check_is_a_line_and_what_is_wrong_stands_out(harness: Harness) -> None:
    lines = harness("doctor", env=NOWHERE).stdout.splitlines()
    assert all(line.startswith(("ok    ", "WRONG ")) for line in lines)
    assert "WRONG docker" in [line.split(":")[0] for line in lines]


def test_live_asks_once_through_each_path_and_says_what_it_cost(harness: Harness) -> None:
    found = checks(harness("doctor", "--live", "--json", env=NOWHERE | {"HARNESS_AGENT__RELAY": "1"}, check=False).stdout)
    plain = {name: check for name, check in found.items() if name.startswith("live ")}
    assert sorted(plain) == ["live agent, streamed", "live proposer", "live reviewer"]
    command = ("--agent", "command", "--live", "--json")
    env = NOWHERE | {"HARNESS_AGENT__RELAY": "1", "HARNESS_AGENT__COMMAND": "true"}
    relayed = checks(harness("doctor", *command, env=env).stdout)
    paths = [check for name, check in relayed.items() if name.startswith("live ")]
    assert len(paths) == 4
    assert all(check["well"] for check in paths)
    assert all("tokens in" in str(check["found"]) and "$0.000000" in str(check["found"]) for check in paths)


@pytest.mark.soak
def test_live_tells_a_service_that_cannot_be_reached(harness: Harness) -> None:
    env = NOWHERE | {"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": "http://127.0.0.1:9"}
    argv = ("doctor", "--model", "claude-haiku-5-5", "--live", "--json")
    paths = [check for name, check in checks(harness(*argv, env=env).stdout).items() if name.startswith("live ")]
    assert paths
    assert not any(check["well"] for check in paths)


def test_a_configuration_that_cannot_be_read_is_a_fault_among_the_others(harness: Harness, tmp_path: Path) -> None:
    (tmp_path / "harness.toml").write_text("[agent]\nkindd = 'idle'\n", encoding="utf-8")
    done = harness("doctor", "--json", env=NOWHERE, cwd=tmp_path)
    found = checks(done.stdout)
    assert (done.returncode, found["configuration"]["well"]) == (1, False)
    assert "harness.toml: unknown key 'agent.kindd'; known here: " in str(found["configuration"]["found"])
    assert {"python", "git", "disk", "docker"} <= found.keys()
    assert "skill" not in found
