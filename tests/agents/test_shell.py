from harness.agents.shell import ToolOutcome, run_shell
from harness.testing import LocalWorkspace


def run(workspace: LocalWorkspace, command: str, seconds: float = 20) -> ToolOutcome:
    return run_shell(workspace, {"command": command}, seconds)


def test_a_command_gives_its_output_by_one_exec(workspace: LocalWorkspace) -> None:
    assert run(workspace, "echo out; echo err >&2") == ToolOutcome(text="out\nerr")
    assert len(workspace.commands) == 1


def test_silence_is_said(workspace: LocalWorkspace) -> None:
    assert run(workspace, "true") == ToolOutcome(text="[no output]")


def test_a_failure_tells_its_exit_code(workspace: LocalWorkspace) -> None:
    assert run(workspace, "echo so; exit 4") == ToolOutcome(text="so\n[exit code 4]")


def test_folder_and_exported_variables_last_from_call_to_call(workspace: LocalWorkspace) -> None:
    run(workspace, "cd src && export NAME='a b'")
    assert run(workspace, 'basename "$PWD"; echo "$NAME"') == ToolOutcome(text="src\na b")


def test_they_last_over_a_command_that_leaves_the_shell(workspace: LocalWorkspace) -> None:
    run(workspace, "cd src; exit 1")
    assert run(workspace, 'basename "$PWD"') == ToolOutcome(text="src")


def test_a_restart_forgets_them(workspace: LocalWorkspace) -> None:
    run(workspace, "cd src && export NAME=x")
    assert run_shell(workspace, {"restart": True}, 20) == ToolOutcome(text="shell restarted")
    assert run(workspace, 'basename "$PWD"; echo "$NAME."') == ToolOutcome(text="project\n.")


def test_a_command_cannot_eat_the_script_it_stands_in(workspace: LocalWorkspace) -> None:
    assert run(workspace, "cat\necho after") == ToolOutcome(text="after")


def test_a_command_longer_than_any_argument_list_runs(workspace: LocalWorkspace) -> None:
    assert run(workspace, f"cat > big <<'END'\n{'x' * 300_000}\nEND\nwc -c < big") == ToolOutcome(text="300001")


def test_a_command_over_its_time_is_killed_and_said_so(workspace: LocalWorkspace) -> None:
    outcome = run(workspace, "echo begun; sleep 60", seconds=0.5)
    assert (outcome.error, outcome.text.split("\n")[0]) == (True, "begun")
    assert "still running" in outcome.text


def test_a_call_without_a_command_is_an_error_for_the_model(workspace: LocalWorkspace) -> None:
    assert [run_shell(workspace, given, 5).error for given in ({}, {"command": " "}, {"command": 3}, None)] == [True] * 4
    assert workspace.commands == []
