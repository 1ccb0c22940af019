"""The proposer's part: draws directives from the deck and offers each as one edit of the skill it is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.models.rehearsal.wire import Answer, says

if TYPE_CHECKING:
    from harness.models.rehearsal.draws import Draws
    from harness.models.rehearsal.wire import MessagesRequest
    from harness.task import Suite


def play(request: MessagesRequest, suite: Suite, draws: Draws) -> Answer:
    """One proposal."""
    return says(f"{len(suite.tasks)}{request.calls}{draws.seed}")
