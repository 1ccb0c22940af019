"""What is kept of the reviewers: answers to labelled changes, calibrations, labels of people. In a ledger of their own.

The folder is `reviewers` below the state folder, so that a person may answer while a campaign writes. Same chain, same checks.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, TypeVar

from pydantic import TypeAdapter, ValidationError

from harness.errors import LedgerError
from harness.evidence import PanelReport
from harness.ledger.rows import call_rows
from harness.ledger.schema import EventRow
from harness.review.calibrate import Answered
from harness.review.calibration import Calibration
from harness.review.labels import Label

if TYPE_CHECKING:
    from collections.abc import Iterable

    from harness.ledger.schema import Ledger
    from harness.ports import Reviewed

FOLDER = "reviewers"  # below the state folder
NAME = "reviewers"  # stands where other ledgers name a campaign
T = TypeVar("T")
_ANSWER = TypeAdapter(Answered)
_CALIBRATION = TypeAdapter(Calibration)
_LABEL = TypeAdapter(Label)
_REPORT = TypeAdapter(PanelReport)


class Records:
    """The reviewers' ledger, read and written in values."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def answers(self, run: str) -> tuple[Answered, ...]:
        """The answers of one calibration run so far, their calls left out."""
        prefix = f"answer/{run}/"
        return tuple(_read(_ANSWER, row) for row in self._ledger.rows(EventRow) if row.key.startswith(prefix))

    def add_answer(self, run: str, key: str, answer: Answered) -> None:
        """Keep one answer, with a row for each call that it cost, before it is used."""
        row = EventRow(key=f"answer/{run}/{key}", name="answer", data=_ANSWER.dump_json(answer).decode())
        self._ledger.add(row, *call_rows(f"calibrate/{run}/{key}", answer.calls))

    def calibrations(self) -> tuple[Calibration, ...]:
        """All calibrations, oldest first."""
        return tuple(_read(_CALIBRATION, row) for row in self._ledger.rows(EventRow) if row.name == "calibration")

    def latest(self) -> dict[tuple[str, str], Calibration]:
        """The last calibration of each reviewer with each model, by name and model."""
        return {(calibration.name, calibration.model): calibration for calibration in self.calibrations()}

    def runs(self) -> tuple[str, ...]:
        """The calibration runs that were completed, oldest first."""
        found = (row.key.split("/")[1] for row in self._ledger.rows(EventRow) if row.name == "calibration")
        return tuple(dict.fromkeys(found))

    def add_calibrations(self, run: str, calibrations: Iterable[Calibration]) -> None:
        """Keep what a run came to."""
        rows = [
            EventRow(key=f"calibration/{run}/{one.name}", name="calibration", data=_CALIBRATION.dump_json(one).decode())
            for one in calibrations
        ]
        self._ledger.add(*rows)

    def votes_so_far(self) -> int:
        """How many changes were brought to the panel by hand."""
        return sum(row.name == "vote" for row in self._ledger.rows(EventRow))

    def add_votes(self, reviewed: Reviewed, shown: str) -> str:
        """Keep one panel's votes on a change that was brought to it by hand; its number. `shown` says which change."""
        number = str(self.votes_so_far() + 1)
        data = json.dumps({"change": shown, "report": _REPORT.dump_python(reviewed.report, mode="json")})
        self._ledger.add(EventRow(key=f"vote/{number}", name="vote", data=data), *call_rows(f"vote/{number}", reviewed.calls))
        return number

    def labels(self) -> tuple[Label, ...]:
        """All labels, in the order in which they were given."""
        return tuple(_read(_LABEL, row) for row in self._ledger.rows(EventRow) if row.name == "label")

    def add_labels(self, labels: Iterable[Label]) -> int:
        """Keep labels; how many were new. The same person saying the same of the same change twice is one label."""
        known = {row.key for row in self._ledger.rows(EventRow)}
        rows = {f"label/{label.id}": label for label in labels}
        fresh = [
            EventRow(key=key, name="label", data=_LABEL.dump_json(label).decode())
            for key, label in rows.items()
            if key not in known
        ]
        self._ledger.add(*fresh)
        return len(fresh)


def _read(adapter: TypeAdapter[T], row: EventRow) -> T:
    try:
        return adapter.validate_json(row.data)
    except ValidationError as error:
        raise LedgerError(f"{row.key}: not as this version writes it: {error.errors()[0]['msg']}") from error
