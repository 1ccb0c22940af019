"""Doubles for tests, shipped with the product: small, honest implementations of ports. Nothing is patched anywhere."""

from __future__ import annotations

import os
import subprocess
import time
from typing import TYPE_CHECKING

from harness.ports import CommandResult

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


class LocalWorkspace:
    """A workspace that is a folder of this machine, without any container: for tests of agents, never for a real one."""

    def __init__(self, folder: Path, scratch: Path) -> None:
        """Work in `folder`; `scratch` is an existing folder that stands for the container's /tmp."""
        self.folder = folder
        self.commands: list[tuple[str, ...]] = []
        self._environment = {**os.environ, "TMPDIR": str(scratch)}

    def run(self, argv: Sequence[str], *, stdin: bytes = b"", seconds: float) -> CommandResult:
        """Run one command in the folder; its output is kept whole."""
        self.commands.append(tuple(argv))
        started = time.monotonic()
        try:
            done = subprocess.run(
                argv,
                input=stdin,
                cwd=self.folder,
                env=self._environment,
                timeout=seconds,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                check=False,
            )
        except subprocess.TimeoutExpired as expired:
            output, exit_code = expired.output or b"", None
        else:
            output, exit_code = done.stdout, done.returncode
        return CommandResult(
            exit_code=exit_code,
            output=output,
            truncated=False,
            timed_out=exit_code is None,
            seconds=time.monotonic() - started,
        )
