"""`harness decide`: our decision from outcomes made elsewhere."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Annotated

import typer
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from harness.cli.options import AsJson
from harness.cli.show import print_decision, print_json
from harness.decision.policy import decide
from harness.decision.record import decision_json
from harness.decision.rules import Rules
from harness.decision.scorecard import Outcome
from harness.errors import InputError
from harness.trial import Arm

NAME = "decide"
MOST_LOOKS = 8


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


def run(
    table: Annotated[Path, typer.Argument(help="JSON or CSV rows {arm, task, repeat, tests, style, review[, cause]}.")],
    alpha: Annotated[float, typer.Option(help="Chance of a false promotion.")] = 0.05,
    looks: Annotated[int | None, typer.Option(help="Looks; the largest repeat count of the table unless given.")] = None,
    exit_code: Annotated[bool, typer.Option("--exit-code", help="Exit 1 when not promoted.")] = False,
    as_json: AsJson = False,
) -> None:
    """One decision from outcomes made elsewhere."""
    outcomes = read_table(table)
    counted = looks or min(len({row.repeat for row in outcomes}), MOST_LOOKS)
    decision = decide(outcomes, Rules(alpha=alpha, looks=counted, split=""))
    if as_json:
        print_json(decision_json(decision))
    else:
        print_decision(decision)
    if exit_code and not decision.promoted:
        raise typer.Exit(1)


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
    missing = {"", "null", "none", "na"}
    rows = csv.DictReader(io.StringIO(text))
    return [
        {
            key: (None if key in {"tests", "style", "review"} and (value or "").strip().lower() in missing else value)
            for key, value in row.items()
        }
        for row in rows
    ]
