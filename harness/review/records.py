"""What is kept of the reviewers: answers to labelled changes, calibrations, labels of people. In a ledger of their own.

The folder is `reviewers` below the state folder, so that a person may answer while a campaign writes. Same chain, same checks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from pydantic import TypeAdapter, ValidationError

from harness.errors import LedgerError
from harness.ledger.rows import call_rows
from harness.ledger.schema import EventRow
from harness.review.calibrate import Answered
from harness.review.calibration import Calibration
from harness.review.labels import Label

if TYPE_CHECKING:
    from collections.abc import Iterable

    from harness.ledger.schema import Ledger

FOLDER = "reviewers"  # below the state folder
NAME = "reviewers"  # stands where other ledgers name a campaign
T = TypeVar("T")
_ANSWER = TypeAdapter(Answered)
_CALIBRATION = TypeAdapter(Calibration)
_LABEL = TypeAdapter(Label)


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

    def latest(self) -> dict[str, Calibration]:
        """The last calibration of each reviewer, by name."""
        return {calibration.name: calibration for calibration in self.calibrations()}

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
