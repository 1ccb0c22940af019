import subprocess
import sys

from tests.cli.conftest import Harness

HEAVY = ("anthropic", "docker", "git", "jinja2", "pydantic", "rich", "yaml")


def test_help_names_every_command_and_nothing_that_is_not_built(harness: Harness) -> None:
    text = harness("--help", check=True).stdout
    for command in (
        "doctor",
        "trial",
        "evaluate",
        "compare",
        "decide",
        "evolve",
        "report",
        "suite",
        "audit",
        "power",
        "rollback",
        "prune",
        "init",
        "nightly",
        "promote",
        "reviewers",
    ):
        assert f" {command} " in text
    for absent in ("practice", "mine"):
        assert f" {absent} " not in text


def test_commands_are_listed_without_loading_what_only_one_of_them_needs() -> None:
    program = f"import harness.cli.app, sys; print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_system_without_what_locks_need_is_told_so_in_one_sentence() -> None:
    program = "import sys; sys.modules['fcntl'] = None; import harness.cli.app; harness.cli.app.main()"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == "harness: this system is not supported: run it on Linux or macOS, or on Windows inside WSL 2\n"
