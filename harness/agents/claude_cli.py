"""Where the real Claude Code is: a native program that is mounted into containers as it is, and its version."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from harness.errors import ConfigError

INSIDE = "/opt/claude/claude"
_NATIVE = b"\x7fELF"
_PACKAGE = "claude_agent_sdk"
_VERSION_SECONDS = 60.0
HOW = (
    "agent claude_code needs Claude Code: pip install 'coding-skill-harness[claude]' (or `make claude`), "
    "or npm install -g @anthropic-ai/claude-code, or name its program with [agent] cli"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cli:
    """The program on this machine, and what it says that it is."""

    path: Path
    version: str


def find_cli(configured: str) -> Cli:
    """The configured program; else the one in the optional extra; else `claude` on the PATH.

    Raises:
        ConfigError: none is there, it is no native program, or it does not start.
    """
    path = Path(configured) if configured else _bundled() or _on_path()
    if path is None or not path.is_file():
        raise ConfigError(f"{configured}: no such program; {HOW}" if configured else HOW)
    path = path.resolve()
    with path.open("rb") as file:
        if file.read(len(_NATIVE)) != _NATIVE:
            raise ConfigError(f"{path}: is no native Linux program, which a container could run without Node; {HOW}")
    try:
        said = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=_VERSION_SECONDS, check=True).stdout
    except (OSError, subprocess.SubprocessError) as error:
        raise ConfigError(f"{path}: does not say its version ({error}); {HOW}") from error
    return Cli(path=path, version=said.split()[0] if said.split() else "unknown")


def _bundled() -> Path | None:
    """The program that the Python package of the optional extra carries."""
    found = importlib.util.find_spec(_PACKAGE)
    folders = found.submodule_search_locations if found else None
    path = Path(folders[0]) / "_bundled/claude" if folders else None
    return path if path and path.is_file() else None


def _on_path() -> Path | None:
    """`claude` as npm leaves it: the program itself, or a script beside whose package the program of this platform lies."""
    found = shutil.which("claude")
    if not found:
        return None
    path = Path(found).resolve()
    near = [folder / "claude" for folder in sorted(path.parent.parent.parent.glob("claude-code-linux-*"))]
    near += [folder / "claude" for folder in sorted(path.parent.parent.glob("node_modules/@anthropic-ai/claude-code-linux-*"))]
    return next((one for one in near if one.is_file()), path)
