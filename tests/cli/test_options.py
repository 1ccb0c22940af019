from pathlib import Path
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from harness.cli import options
from harness.cli.options import Given, takes

seen: list[tuple[str, Given, bool]] = []


@takes("suite", "jobs")
def command(skill: Annotated[str, typer.Argument(help="Skill.")], given: Given, *, yes: options.Yes = False) -> None:
    """Try it."""
    seen.append((skill, given, yes))


def test_a_commands_shared_options_arrive_together_beside_its_own() -> None:
    app = typer.Typer()
    app.command()(command)
    assert CliRunner().invoke(app, ["--jobs", "3", "--suite", "tasks", "coding", "-y"]).exit_code == 0
    assert CliRunner().invoke(app, ["coding"]).exit_code == 0
    assert seen == [("coding", Given(suite=Path("tasks"), jobs=3), True), ("coding", Given(), False)]
    assert CliRunner().invoke(app, ["coding", "--model", "x"]).exit_code == 2


def test_a_shared_option_that_is_none_is_an_error_when_the_command_is_made() -> None:
    with pytest.raises(KeyError, match="jbos"):
        takes("jbos")(command)
