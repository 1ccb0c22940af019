"""The `str_replace_based_edit_tool`: view, create, str_replace and insert, in the container by plain shell commands.

What to write is worked out here; the container needs nothing but a shell and coreutils.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.agents.output import clipped
from harness.agents.shell import ToolOutcome

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from harness.ports import Json, Workspace

TOOL: Json = {"type": "text_editor_20250728", "name": "str_replace_based_edit_tool"}

_READ = """\
if [ -d "$1" ]; then printf D; find "$1" -mindepth 1 -maxdepth 2 -name ".*" -prune -o -print | sort
elif [ -f "$1" ]; then printf F; cat -- "$1"; fi
"""
_WRITE = 'mkdir -p -- "$(dirname -- "$1")" && cat > "$1"'
_AROUND = 4  # lines shown before and after an edit


class _Refused(Exception):  # noqa: N818  (an answer to the model, not an error of ours)
    """The call cannot be done; the text tells the model why."""


def run_editor(workspace: Workspace, arguments: Json, seconds: float) -> ToolOutcome:
    """Do one editor command. A wrong call is an answer with `error`, never an exception."""
    given: Mapping[str, Json] = arguments if isinstance(arguments, dict) else {}
    command = given.get("command")
    if not isinstance(command, str) or command not in _COMMANDS:
        return ToolOutcome(text=f"unknown command {command!r}; known: {', '.join(_COMMANDS)}", error=True)
    try:
        return ToolOutcome(text=clipped(_COMMANDS[command](_Files(workspace, seconds), given)))
    except _Refused as refused:
        return ToolOutcome(text=str(refused), error=True)


class _Files:
    """The workspace's files, read and written by one exec each."""

    def __init__(self, workspace: Workspace, seconds: float) -> None:
        self._workspace = workspace
        self._seconds = seconds

    def look(self, path: str) -> tuple[str, str]:
        """("D", listing) of a folder or ("F", text) of a file."""
        result = self._workspace.run(("sh", "-c", _READ, "sh", _safe(path)), seconds=self._seconds)
        kind, body = result.output[:1], result.output[1:]
        if result.exit_code or kind not in {b"D", b"F"}:
            raise _Refused(f"{path}: no such file or folder, or it cannot be read")
        if result.truncated:
            raise _Refused(f"{path}: is too large for this tool; use bash")
        try:
            return kind.decode(), body.decode("utf-8")
        except UnicodeDecodeError as error:
            raise _Refused(f"{path}: is not UTF-8 text; use bash") from error

    def text(self, path: str) -> str:
        """The text of a file."""
        kind, body = self.look(path)
        if kind != "F":
            raise _Refused(f"{path}: is a folder")
        return body

    def write(self, path: str, text: str) -> None:
        """Write a file, its folder made if missing, its mode kept."""
        body = text.encode("utf-8", "replace")
        result = self._workspace.run(("sh", "-c", _WRITE, "sh", _safe(path)), stdin=body, seconds=self._seconds)
        if result.exit_code != 0:
            raise _Refused(f"{path}: cannot be written: {clipped(result.output).strip()}")


def _view(files: _Files, given: Mapping[str, Json]) -> str:
    path = _string(given, "path")
    kind, body = files.look(path)
    if kind == "D":
        return body
    lines = body.split("\n")
    first, last = _range(given.get("view_range"), len(lines))
    return "\n".join(f"{number:6}\t{lines[number - 1]}" for number in range(first, last + 1))


def _create(files: _Files, given: Mapping[str, Json]) -> str:
    path = _string(given, "path")
    files.write(path, _string(given, "file_text"))
    return f"{path} written"


def _replace(files: _Files, given: Mapping[str, Json]) -> str:
    path, old = _string(given, "path"), _string(given, "old_str")
    new = _string(given, "new_str") if "new_str" in given else ""
    text = files.text(path)
    count = text.count(old) if old else 0
    if count != 1:
        raise _Refused(f"{path}: old_str occurs {count} times; it must occur exactly once. Nothing was changed.")
    edited = text.replace(old, new)
    files.write(path, edited)
    return _shown(path, edited, text[: text.index(old)].count("\n"), new.count("\n") + 1)


def _insert(files: _Files, given: Mapping[str, Json]) -> str:
    path, added, line = _string(given, "path"), _string(given, "insert_text"), given.get("insert_line")
    lines = files.text(path).splitlines(keepends=True)
    if isinstance(line, bool) or not isinstance(line, int) or not 0 <= line <= len(lines):
        raise _Refused(f"{path}: insert_line must be a whole number from 0 to {len(lines)}")
    before = "".join(lines[:line])
    if before and not before.endswith("\n"):
        before += "\n"
    edited = before + (added if added.endswith("\n") else f"{added}\n") + "".join(lines[line:])
    files.write(path, edited)
    return _shown(path, edited, line, added.count("\n") + 1)


_COMMANDS: dict[str, Callable[[_Files, Mapping[str, Json]], str]] = {
    "view": _view,
    "create": _create,
    "str_replace": _replace,
    "insert": _insert,
}


def _shown(path: str, text: str, line: int, count: int) -> str:
    lines = text.split("\n")
    first, last = max(0, line - _AROUND), min(len(lines), line + count + _AROUND)
    numbered = "\n".join(f"{number + 1:6}\t{lines[number]}" for number in range(first, last))
    return f"{path} edited. It now reads:\n{numbered}"


def _range(given: Json, count: int) -> tuple[int, int]:
    if given is None:
        return 1, count
    numbers = [number for number in given if isinstance(number, int)] if isinstance(given, list) else []
    if len(numbers) != 2 or not 1 <= numbers[0] <= count:  # noqa: PLR2004
        raise _Refused(f"view_range must be [first, last] with first from 1 to {count}; last may be -1")
    last = count if numbers[1] == -1 else min(numbers[1], count)
    if last < numbers[0]:
        raise _Refused("view_range must not end before it begins")
    return numbers[0], last


def _string(given: Mapping[str, Json], name: str) -> str:
    value = given.get(name)
    if not isinstance(value, str) or (name == "path" and (not value or "\0" in value)):
        raise _Refused(f"{name} is missing or no text")
    return value


def _safe(path: str) -> str:
    """A path that no command can take for an option."""
    return f"./{path}" if path.startswith("-") else path
