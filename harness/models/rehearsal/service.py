"""Starts and stops the rehearsal's process, and tells it who asks."""

from __future__ import annotations

import select
import subprocess
import sys
from typing import TYPE_CHECKING

from harness.errors import ServiceUnavailableError
from harness.models.rehearsal.settings import Settings
from harness.models.rehearsal.table import TableWriter

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType
    from typing import Self

_STARTUP_SECONDS = 60.0
_STOP_SECONDS = 5.0
_DEFAULT = Settings()


class Rehearsal:
    """A running rehearsal service; a context manager that stops it. It also ends by itself when this process does."""

    def __init__(self, process: subprocess.Popen[str], base_url: str, table: Path) -> None:
        self._process = process
        self.base_url = base_url
        self.announce = TableWriter(table).announce

    @classmethod
    def start(
        cls, *, suite: Path | None, table: Path, seed: int, settings: Settings = _DEFAULT, reserve: Path | None = None
    ) -> Rehearsal:
        """Start the service for the suite in a folder and its reserve's (None: for documents alone).

        `table` is a file in an existing folder, kept between runs.

        Raises:
            ServiceUnavailableError: if it does not come up, with what it said.
        """
        argv = [sys.executable, "-m", "harness.models.rehearsal", "--until-stdin-closes"]
        argv += ["--table", str(table), "--seed", str(seed), "--settings", settings.model_dump_json()]
        argv += ["--suite", str(suite)] if suite else []
        argv += ["--reserve", str(reserve)] if reserve else []
        process = subprocess.Popen(
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,  # a Ctrl-C for us must not end it before we have stopped asking
        )
        address = _first_line(process)
        if not address.startswith("http://"):
            process.kill()
            said = process.communicate()[1].strip().split("\n")[-1]
            raise ServiceUnavailableError(f"the rehearsal service did not start: {said or 'no word from it'}")
        return cls(process, address, table)

    def stop(self) -> None:
        """Stop the service; no harm when it has stopped already."""
        self._process.terminate()
        try:
            self._process.communicate(timeout=_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.communicate()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()


def _first_line(process: subprocess.Popen[str]) -> str:
    if process.stdout is None:
        return ""
    ready, _, _ = select.select([process.stdout], [], [], _STARTUP_SECONDS)
    return process.stdout.readline().strip() if ready else ""
