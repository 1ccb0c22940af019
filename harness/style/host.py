"""Runs linter, formatter and a pack's commands on this machine, base and after, in folders of their own that are removed.

For a person's own checkout. Trials run the same command lines in a container.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from harness.errors import UnavailableError
from harness.linter_files import governed, ruff_commands
from harness.ports import LintRun, ToolRun
from harness.style.linter import command_lines
from harness.tree_io import write_tree

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from harness.style.packs import Pack
    from harness.tree import Tree

NOT_RUN = ToolRun(exit_code=0, stdout=b"[]", stderr=b"")
TIMED_OUT = 124
LIMIT_SECONDS = 600.0
MEMORY = "/dev/shm"  # noqa: S108  (a folder of its own is made in it)
ROOM = 256 * 2**20  # bytes that others may want there


def uses_ruff(tree: Tree) -> bool:
    """Whether the tree says anywhere how ruff is to be run."""
    if any(path.rpartition("/")[2] in {"ruff.toml", ".ruff.toml"} for path, _ in tree):
        return True
    file = tree.get("pyproject.toml")
    try:
        tool = tomllib.loads(file.text).get("tool") if file else None
    except tomllib.TOMLDecodeError:
        return True  # ruff itself will say what is wrong with it
    return isinstance(tool, dict) and "ruff" in tool


def lint_here(base: Tree, after: Tree, pack: Pack) -> LintRun:
    """All runs over both trees, side by side; the tree after stands under the base's settings.

    Raises:
        UnavailableError: a tool is missing, or is another version than the pack pins.
    """
    pins = dict(pack.tools)
    commands = command_lines(pack.commands)
    ruff = uses_ruff(base) or "ruff" in pins
    version = version_of("ruff", pins) if ruff else ""
    for program in sorted({argv[0] for argv in commands}):
        version_of(program, pins)
    lines = (*(ruff_commands(version) if ruff else ()), *commands)
    with tempfile.TemporaryDirectory(prefix="harness-rules-", dir=_memory(base, after)) as folder, ThreadPoolExecutor(2) as pool:
        folders = [Path(folder) / name for name in ("base", "after")]
        for place, tree in zip(folders, (base, governed(base, after, lines)), strict=True) if lines else ():
            write_tree(place, tree)
        runs = [list(pool.map(lambda argv, place=place: _run(argv, place), lines)) for place in folders]
    none = [] if ruff else [NOT_RUN, NOT_RUN]
    (base_check, base_format, *before), (after_check, after_format, *now) = ([*none, *found] for found in runs)
    return LintRun(
        version=version,
        base_check=base_check,
        base_format=base_format,
        after_check=after_check,
        after_format=after_format,
        base_commands=tuple(before),
        after_commands=tuple(now),
    )


def _memory(*trees: Tree) -> str | None:
    """A folder in memory with ample room for the trees, so that thousands of files wait for no disk; None for the usual."""
    size = sum(len(file.content) for tree in trees for _, file in tree)
    free = shutil.disk_usage(MEMORY).free if os.access(MEMORY, os.W_OK) and "TMPDIR" not in os.environ else 0
    return MEMORY if free > 4 * size + ROOM else None


def version_of(program: str, pins: Mapping[str, str]) -> str:
    """What a tool says of its version, the pinned one where it is that.

    Raises:
        UnavailableError: it is not installed, or is another version than the pin.
    """
    pin = pins.get(program) or pins.get(f"npm:{program}", "")
    if shutil.which(program, path=_path()) is None:
        raise UnavailableError(
            f"the rule pack needs {program}{f' {pin}' if pin else ''}, which is not installed here; install it"
        )
    said = _run((program, "--version"), Path.cwd()).stdout.decode("utf-8", "replace").split()
    found = next((word.lstrip("v").rstrip(",") for word in said if word.lstrip("v")[:1].isdigit()), "")
    if pin and pin != found:
        raise UnavailableError(
            f"the rule pack pins {program} {pin}, and {found or 'an unknown version'} is installed; install {pin}"
        )
    return found


def renames_here(base: Tree, after: Tree) -> tuple[tuple[str, str], ...]:
    """Git's own view of renames between two trees, as (old, new)."""
    gone, fresh = (_only(one, other) for one, other in ((base, after), (after, base)))
    if not gone or not fresh:
        return ()
    with tempfile.TemporaryDirectory(prefix="harness-rules-") as folder:
        for name, tree in (("a", gone), ("b", fresh)):
            write_tree(Path(folder) / name, tree)
        argv = ("git", "diff", "--no-index", "--name-status", "-z", "--find-renames", "-l0", "a", "b")
        parts = iter(_run(argv, Path(folder)).stdout.split(b"\0"))
    found = []
    for status in parts:
        names = [os.fsdecode(next(parts, b"")) for _ in range(2 if status[:1] in {b"R", b"C"} else 1)]
        if status[:1] == b"R":
            found.append((names[0].removeprefix("a/"), names[1].removeprefix("b/")))
    return tuple(found)


def _only(one: Tree, other: Tree) -> Tree:
    """The files of one tree whose paths the other does not have."""
    return type(one)(files=tuple((path, file) for path, file in one if path not in other.by_path))


def _path() -> str:
    """Programs of this environment first: they are the pinned ones."""
    return os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])


def _run(argv: Sequence[str], folder: Path) -> ToolRun:
    program = shutil.which(argv[0], path=_path()) or argv[0]
    environment = os.environ | {"PATH": _path(), "LC_ALL": "C.UTF-8", "NO_COLOR": "1"}
    try:
        done = subprocess.run(
            [program, *argv[1:]],
            cwd=folder,
            env=environment,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            check=False,
            timeout=LIMIT_SECONDS,
        )
    except subprocess.TimeoutExpired as error:
        return ToolRun(exit_code=TIMED_OUT, stdout=error.stdout or b"", stderr=error.stderr or b"")
    return ToolRun(exit_code=done.returncode, stdout=done.stdout, stderr=done.stderr)
