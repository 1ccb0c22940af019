from tests.cli.conftest import Harness


def test_help_names_every_command_and_nothing_that_is_not_built(harness: Harness) -> None:
    text = harness("--help", check=True).stdout
    for command in ("doctor", "trial", "evaluate", "compare", "decide", "evolve", "report", "suite", "audit"):
        assert f" {command} " in text
    for absent in ("nightly", "practice", "mine", "prune"):
        assert f" {absent} " not in text
