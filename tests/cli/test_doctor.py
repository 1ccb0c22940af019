"""`harness doctor`: what is there and what is wrong, with the fix named."""

import json

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
