"""What a call was made for: its subject names a proposal or a trial, be it one that was given up and has no row of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.trial import SHORT, Stage

if TYPE_CHECKING:
    from collections.abc import Iterable

    from harness.ledger.schema import ConfirmationRow, VariantRow


class Subjects:
    """The generations of one campaign, by what its calls and trials were made for."""

    def __init__(self, campaign: str, variants: Iterable[VariantRow], confirmations: Iterable[ConfirmationRow]) -> None:
        self._campaign = campaign
        self._confirmed = {row.key: row.generation for row in confirmations}
        rows = [row for row in variants if row.generation]
        self._screened = {row.variant[:SHORT]: row.generation for row in reversed(rows)}  # the first of a text stands

    def generation_of(self, subject: str) -> int | None:
        """The generation that was proposed, screened or confirmed, in either arm; None for what belongs to none.

        A subject is `proposal/<campaign>/<generation>` or a trial's key; `/given up <number>` stands behind what was given up.
        """
        stage, second, third, variant, *_ = (*subject.split("/"), "", "", "")
        match stage:
            case "proposal" if second == self._campaign and third.isdigit():
                return int(third)
            case Stage.CONFIRM:
                return self._confirmed.get(second)
            case Stage.SCREEN:
                return self._screened.get(variant)
            case _:
                return None


def stage_of(subject: str) -> str:
    """The stage of the trial that a call was made for; of another call's subject, its first word."""
    return subject.partition("/")[0]
