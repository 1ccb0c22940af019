import json

import pytest

from harness.attempts import attempts


def ran(*commands: str, name: str = "bash") -> str:
    """A transcript in which these commands were run."""
    blocks = [{"type": "tool_use", "name": name, "input": {"command": command}} for command in commands]
    lines = [{"type": "user", "content": "curl http://x"}, {"type": "assistant", "content": blocks}, {"type": "end"}]
    return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)


@pytest.mark.parametrize(
    ("command", "event"),
    [
        ("curl -s https://code.example/a.py", "network: curl"),
        ("cd src && wget https://code.example", "network: wget"),
        ("x=$(curl https://code.example)", "network: curl"),
        ("if true; then curl -O x; fi", "network: curl"),
        ("ls\ngit  clone https://code.example/a", "network: git clone"),
        ("git fetch origin", "network: git fetch"),
        ("/opt/env/bin/python -m pip install left-pad", "network: pip install"),
        ("sudo apt-get update", "network: apt-get update"),
        ("npm ci", "network: npm ci"),
        ("git log --oneline -S add -- src", "history: git log"),
        ("git log --all", "history: git log"),
        ("git reflog", "history: git reflog"),
        ("echo '\u2028\x85'; curl x", "network: curl"),
    ],
)
def test_a_command_that_reaches_outside_is_an_event(command: str, event: str) -> None:
    assert attempts(ran(command)) == attempts(ran(command, name="Bash")) == (event,)


@pytest.mark.parametrize(
    "command",
    ["grep -rn curl src", "git status", "git log --oneline", "cat pip install.md", "echo 'see curl'", "python -m pytest"],
)
def test_a_command_that_only_names_such_a_program_is_none(command: str) -> None:
    assert attempts(ran(command)) == ()


def test_each_kind_is_told_once_in_the_order_of_the_commands() -> None:
    found = attempts(ran("git fetch", "curl a; curl b", "curl c", "pip install d"))
    assert found == ("network: git fetch", "network: curl", "network: pip install")


def test_what_was_said_and_not_run_and_other_tools_are_none() -> None:
    assert attempts(ran()) == attempts(ran("curl x", name="Read")) == attempts("") == ()


@pytest.mark.parametrize("part", ["\n", " ", "f(a);", "(git log ", ";python3 -m ", "then git ", ";git\n"])
def test_what_a_model_repeats_without_end_is_read_to_its_end(part: str) -> None:
    long = part * (300_000 // len(part))  # in a time that grew with the square this would take hours
    assert attempts(ran(f"{long}\ncurl x"))[-1] == "network: curl"
