"""What is known of mutants while their suite is being made, so that a stopped run goes on from there; gone once the suite stands.

Owns a folder beside the suite's: the mutants tried (`candidates.jsonl`, in mining's form), and the task folders of those kept.
"""

from __future__ import annotations

import hashlib
import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

from harness.suites.candidates import CANDIDATES, Outcome, read_outcomes
from harness.suites.catalog import load_task
from harness.suites.mining import emit_whole
from harness.suites.mutating import Tried, entry_of
from harness.suites.rejected import Rejected

if TYPE_CHECKING:
    from pathlib import Path

    from harness.suites.mutating import Healthy, Mutant, Plan


class Unfinished:
    """Implements `mutating.Memory` for one suite.

    Args:
        out: the folder that the suite will have.
        plan: what is wanted; with other words or another project a mutant is tried again, with another seed or limit it is not.
        tools: the suite's.
    """

    def __init__(self, out: Path, plan: Plan, tools: tuple[tuple[str, str], ...]) -> None:
        """Read what is known.

        Raises:
            InputError: the folder holds something else.
        """
        self._folder = out.with_name(f".{out.name}.unfinished")
        self._plan, self._tools = replace(plan, limit=0, seed=0), tools
        self._known = {outcome.fix: outcome for outcome in read_outcomes(self._folder / CANDIDATES)}

    def __len__(self) -> int:
        return len(self._known)

    def known(self, healthy: Healthy, mutant: Mutant) -> Tried | None:
        """What a mutant came to, if it was tried on this tree before. Raises SuiteError: its task was changed since."""
        outcome = self._known.get(self._key(healthy, mutant))
        if outcome is None or not outcome.task:
            return Tried(mutant=mutant, reason=outcome.reason, detail=outcome.detail) if outcome else None
        task = load_task(self._folder / "tasks" / outcome.task)
        return Tried(mutant=mutant, entry=entry_of(healthy, mutant, task))

    def add(self, healthy: Healthy, tried: Tried) -> Tried:
        """Keep what a mutant came to; a task that cannot be written is none."""
        key = self._key(healthy, tried.mutant)
        if key in self._known:
            return tried
        if tried.entry:
            try:
                emit_whole(self._folder, tried.entry, self._tools)
            except Rejected as error:
                tried = Tried(mutant=tried.mutant, reason=error.reason, detail=error.detail)
        task = tried.entry.task.id if tried.entry else ""
        outcome = Outcome(fix=key, date="", title=str(tried.mutant), task=task, reason=tried.reason, detail=tried.detail)
        self._folder.mkdir(parents=True, exist_ok=True)
        (self._folder / ".gitignore").write_text("*\n", encoding="utf-8")  # it holds answers, and may lie in a repository
        with (self._folder / CANDIDATES).open("a", encoding="utf-8") as file:
            file.write(outcome.model_dump_json() + "\n")
        return tried

    def forget(self) -> None:
        """The suite stands."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def _key(self, healthy: Healthy, mutant: Mutant) -> str:
        """Of all that a mutant's task is made from."""
        parts = (healthy.tree.id, healthy.bench.hidden.id, healthy.bench.requirements, self._plan, mutant)
        return hashlib.sha256(repr(parts).encode()).hexdigest()
