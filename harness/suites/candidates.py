"""What became of each step of a history, as it stands in candidates.jsonl: kept as a task, or not, and why.

One JSON document a line, written as soon as it is known, so that a stopped run goes on from there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, ValidationError

from harness.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from harness.git_history import Commit
    from harness.suites.rejected import Rejected

CANDIDATES = "candidates.jsonl"
LONGEST_LOG = 4000  # characters of a rejection's log that are kept


class Outcome(BaseModel):
    """One step's outcome as it stands in candidates.jsonl. `task` is the kept task's id; else `reason` and `detail` say why not.

    `tried` tells steps that containers were started for from those passed by on sight. Seconds are from the reading of the trees
    on; `usd` is what the statement cost.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    fix: str
    date: str
    title: str
    task: str = ""
    difficulty: str = ""
    lines: int = 0
    failing: int = 0
    passing: int = 0
    left_out: tuple[str, ...] = ()
    author: str = ""
    fixes: tuple[str, ...] = ()
    reason: str = ""
    detail: str = ""
    log: str = ""
    tried: bool = False
    seconds: float = 0.0
    usd: float = 0.0


def rejected(step: Commit, error: Rejected, *, tried: bool = False, seconds: float = 0.0) -> Outcome:
    """The outcome of a step that is no task; `tried` where containers were started for it."""
    return Outcome(
        fix=step.id,
        date=step.date,
        title=step.title,
        reason=error.reason,
        detail=error.detail,
        log=error.log[-LONGEST_LOG:],
        tried=tried,
        seconds=seconds,
    )


def read_outcomes(path: Path) -> tuple[Outcome, ...]:
    """The known outcomes, a line cut off by a kill left out.

    Raises:
        InputError: a line in the middle is none.
    """
    if not path.is_file():
        return ()
    text = path.read_text(encoding="utf-8", errors="replace")
    whole, _, _ = text.rpartition("\n")
    if text and not text.endswith("\n"):
        path.write_text(f"{whole}\n" if whole else "", encoding="utf-8")
    try:
        return tuple(Outcome.model_validate_json(line) for line in whole.split("\n") if line)
    except ValidationError as error:
        raise InputError(
            f"{path}: not a list of candidates ({error.errors()[0]['msg']}); name another folder by --out"
        ) from error


def require_own(out: Path, steps: Iterable[Commit]) -> None:
    """Refuse a place for a suite that holds something else: before anything is started, since mining writes there as it goes.

    Raises:
        InputError: it is no folder, or holds files that no mining of this repository wrote.
    """
    if out.exists() and not out.is_dir():
        raise InputError(f"{out}: is a file; name a folder by --out")
    if not out.is_dir() or not any(out.iterdir()):
        return
    if not (out / CANDIDATES).is_file():
        raise InputError(f"{out}: is there already, and no suite that is being mined; name another folder by --out")
    known = {outcome.fix for outcome in read_outcomes(out / CANDIDATES)}
    if known and known.isdisjoint(step.id for step in steps):
        raise InputError(f"{out}: was mined from another repository; name another folder by --out")
