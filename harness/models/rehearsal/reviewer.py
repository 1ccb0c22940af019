"""The reviewer's part."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.models.rehearsal.wire import Answer, says

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harness.models.rehearsal.draws import Draws
    from harness.models.rehearsal.settings import ReviewerErrors
    from harness.models.rehearsal.wire import MessagesRequest
    from harness.task import Task


def play(request: MessagesRequest, task: Task, draws: Draws, errors: Mapping[str, ReviewerErrors]) -> Answer:
    """One review."""
    return says(f"{task.id}{request.calls}{draws.seed}{len(errors)}")
