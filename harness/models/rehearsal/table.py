"""The table from opaque tags to who asks: written by our side as calls are made, read by the service when a tag is new."""

from __future__ import annotations

import json
import os
import threading
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

if TYPE_CHECKING:
    from pathlib import Path


class Asker(BaseModel):
    """Who stands behind a tag."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    tag: str
    role: str
    subject: str
    task: str


class TableWriter:
    """Appends one JSON line per tag; safe for threads."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: set[str] = set()
        self._lock = threading.Lock()

    def announce(self, tag: str, role: str, subject: str, task: str) -> None:
        """Make a tag known; on disk, for any other process to read, when this returns."""
        if tag in self._known:
            return
        line = json.dumps({"tag": tag, "role": role, "subject": subject, "task": task}) + "\n"
        with self._lock:
            if tag in self._known:
                return
            handle = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                os.write(handle, line.encode())
            finally:
                os.close(handle)
            self._known.add(tag)


class TableReader:
    """Finds askers by tag, reading on from where it stopped when a tag is not known yet; safe for threads."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._askers: dict[str, Asker] = {}
        self._offset = 0
        self._lock = threading.Lock()

    def find(self, tag: str) -> Asker | None:
        """The asker, or None for a tag that nobody announced."""
        if tag not in self._askers:
            with self._lock:
                self._read_on()
        return self._askers.get(tag)

    def _read_on(self) -> None:
        if not self._path.exists():
            return
        with self._path.open("rb") as file:
            file.seek(self._offset)
            for line in file:
                if not line.endswith(b"\n"):
                    return
                asker = Asker.model_validate_json(line)
                self._askers[asker.tag] = asker
                self._offset += len(line)
