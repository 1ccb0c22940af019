"""The control that knows the answer: writes the reference solution into the workspace by one command."""

from __future__ import annotations

import io
import tarfile
from typing import TYPE_CHECKING

from harness.ports import AgentReport, TrialEndedError
from harness.rollout import Ending, LoadEvidence
from harness.tree import difference

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.ports import Assignment, Workspace
    from harness.tree import FileChange

# Deletions first: a file may have become a folder. Their names follow as arguments, the new files as a tar on stdin.
_SCRIPT = 'if [ $# -gt 0 ]; then rm -f -- "$@"; fi && tar -x -f - --no-same-owner'


class ReferenceAgent:
    """Applies the reference solution."""

    def run(self, workspace: Workspace, assignment: Assignment) -> AgentReport:
        """Write what the reference changes; a workspace that fails is booked as the ending."""
        load = LoadEvidence(delivery=assignment.delivered.mode, loaded=False, how="the reference agent reads nothing")
        changes = difference(assignment.task.base, assignment.task.reference)
        try:
            ending, cause = _written(workspace, changes, assignment.limits.seconds)
        except TrialEndedError as ended:
            ending, cause = ended.ending, ended.cause
        return AgentReport(ending=ending, cause=cause, transcript="", calls=(), load=load)


def _written(workspace: Workspace, changes: Sequence[FileChange], seconds: float) -> tuple[Ending, str]:
    deleted = [f"./{change.path}" for change in changes if change.new is None]
    result = workspace.run(("sh", "-c", _SCRIPT, "sh", *deleted), stdin=_tar(changes), seconds=seconds)
    if result.exit_code == 0:
        return Ending.FINISHED, ""
    return Ending.AGENT_CRASH, f"the reference could not be written: {result.output.decode('utf-8', 'replace')[:500]}"


def _tar(changes: Sequence[FileChange]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for change in changes:
            if change.new is not None:
                member = tarfile.TarInfo(change.path)
                member.size, member.mode = len(change.new.content), change.new.mode & 0o777
                archive.addfile(member, io.BytesIO(change.new.content))
    return buffer.getvalue()
