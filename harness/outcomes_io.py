"""Reads outcomes made elsewhere: JSON or CSV rows in, a comparison's table out."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from harness.decision.scorecard import Outcome
from harness.errors import InputError
from harness.trial import Arm

if TYPE_CHECKING:
    from pathlib import Path

GATES = frozenset({"tests", "style", "review"})
MISSING = frozenset({"", "null", "none", "na"})


class OutcomeFile(BaseModel):
    """One row of the table: 1 passed, 0 failed, null (or empty in CSV) missing."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    arm: Arm
    task: str = Field(min_length=1)
    repeat: int = Field(ge=1)
    tests: bool | None
    style: bool | None
    review: bool | None
    cause: str = ""

    def value(self) -> Outcome:
        """The row as a value."""
        return Outcome(**self.model_dump())


def read_table(path: Path) -> tuple[Outcome, ...]:
    """The rows of a JSON or CSV file.

    Raises:
        InputError: naming file, row and what is wrong.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read: {error}") from error
    try:
        rows = _csv_rows(text) if path.suffix.lower() == ".csv" else json.loads(text)
        found = TypeAdapter(list[OutcomeFile]).validate_python(rows)
    except json.JSONDecodeError as error:
        raise InputError(f"{path}: not valid JSON: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "the document"
        raise InputError(f"{path}: row {place}: {first['msg']} ({error.error_count()} faults in all)") from error
    if not found:
        raise InputError(f"{path}: holds no row; write at least one trial of each arm")
    return tuple(row.value() for row in found)


def _csv_rows(text: str) -> list[dict[str, str | None]]:
    return [{name: _cell(name, value) for name, value in row.items()} for row in csv.DictReader(io.StringIO(text))]


def _cell(name: str, value: str | None) -> str | None:
    return None if name in GATES and (value or "").strip().lower() in MISSING else value
