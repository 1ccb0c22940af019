"""The control that does nothing: every gate's rate with it is what a suite gives away for free."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.ports import AgentReport
from harness.rollout import Ending, LoadEvidence

if TYPE_CHECKING:
    from harness.ports import Assignment, Workspace


class IdleAgent:
    """Leaves the workspace as it is."""

    def run(self, workspace: Workspace, assignment: Assignment) -> AgentReport:  # noqa: ARG002  (the port's signature)
        """End at once."""
        load = LoadEvidence(delivery=assignment.delivered.mode, loaded=False, how="the idle agent reads nothing")
        return AgentReport(ending=Ending.FINISHED, cause="", transcript="", calls=(), load=load)
