"""The `bash` tool: a shell that remembers its folder and exported variables from call to call, over one exec a call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.agents.output import clipped

if TYPE_CHECKING:
    from harness.ports import CommandResult, Json, Workspace

TOOL: Json = {"type": "bash_20250124", "name": "bash"}

# The command arrives on stdin, so its length is not bound by the limit on arguments. What the shell must remember lies in a
# file of the container: nothing of it passes through the model.
_SCRIPT = """\
set -- "$1" "${TMPDIR:-/tmp}/.shell-state"
[ "$1" = restart ] && rm -f -- "$2"
[ -f "$2" ] && . "$2" 2>/dev/null
trap '{ export -p; printf "cd -- %q\\n" "$PWD"; } 2>/dev/null > '"$2" EXIT
eval "$(cat)" </dev/null
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOutcome:
    """What one tool call gave: text for the model, and whether the call was wrong."""

    text: str
    error: bool = False


def run_shell(workspace: Workspace, arguments: Json, seconds: float) -> ToolOutcome:
    """Run `{"command": ...}`, or forget folder and variables for `{"restart": true}`. At most `seconds` long."""
    given = arguments if isinstance(arguments, dict) else {}
    restart = given.get("restart") is True
    command = given.get("command")
    if not restart and not (isinstance(command, str) and command.strip()):
        return ToolOutcome(text="the bash tool needs a command, or restart", error=True)
    script = "echo shell restarted" if restart else str(command)
    argv = ("bash", "-c", _SCRIPT, "bash", "restart" if restart else "")
    return _outcome(workspace.run(argv, stdin=script.encode("utf-8", "replace"), seconds=seconds))


def _outcome(result: CommandResult) -> ToolOutcome:
    text = clipped(result.output).rstrip("\n")
    notes = []
    if result.truncated:
        notes.append("the output was longer than is kept")
    if result.timed_out:
        notes.append(f"killed after {result.seconds:.0f} s; it was still running")
    elif result.exit_code:
        notes.append(f"exit code {result.exit_code}")
    said = "\n".join([*([text] if text else []), *(f"[{note}]" for note in notes)])
    return ToolOutcome(text=said or "[no output]", error=result.timed_out)
