"""Task, Suite and Split: a problem with hidden tests and a reference, and a versioned set of them. Reading is `suites`."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

from harness.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Iterable

    from harness.tree import Edit


class Split(StrEnum):
    """dev feeds the proposer and the screen; holdout alone decides; vault is opened once a night.

    reserve waits to take the place of holdout tasks that have served long, which are then retired.
    """

    DEV = "dev"
    HOLDOUT = "holdout"
    VAULT = "vault"
    RESERVE = "reserve"
    RETIRED = "retired"


class Judge(StrEnum):
    """Where hidden tests run: beside the agent's code, or in a process of their own that only values reach."""

    IN_PROCESS = "in_process"
    VALUES = "values"


PYTHON = "python=="  # a requirement that names the interpreter, such as "python==3.13", where it is not the sandbox's own


def interpreter(requirements: Iterable[str]) -> str:
    """The Python that requirements ask for, as "3.13"; empty for the sandbox's own."""
    return next((item.removeprefix(PYTHON) for item in requirements if item.startswith(PYTHON)), "")


def distributions(requirements: Iterable[str]) -> tuple[str, ...]:
    """The requirements that are packages."""
    return tuple(item for item in requirements if not item.startswith(PYTHON))


@dataclass(frozen=True, slots=True, kw_only=True)
class Samples:
    """Three independent edits of the reference from which the rehearsal composes its sample solutions."""

    behaviour: tuple[Edit, ...]
    style: tuple[Edit, ...]
    defect: tuple[Edit, ...]

    def edits(self, *, tests: bool, style: bool, review: bool) -> tuple[Edit, ...]:
        """The edits that turn the reference into the sample with these three labels.

        An errorless reviewer never approves what fails tests, so six of the eight combinations exist: where tests fail, review
        must too, and the behaviour edit alone is what the reviewer refuses.

        Raises:
            ValueError: for tests failing with review passing.
        """
        if review and not tests:
            raise ValueError("no sample fails tests and passes review")
        defect = self.defect if tests and not review else ()
        return (*(() if tests else self.behaviour), *(() if style else self.style), *defect)


@dataclass(frozen=True, kw_only=True)
class Task:
    """One problem. `base` is what the agent sees, `reference` the accepted solution, `hidden` the tests laid over it for grading.

    `fail_to_pass` and `pass_to_pass` are test ids as pytest prints them, relative to the hidden tree. `limits` are seconds.
    """

    id: str
    project: str
    split: Split
    instruction: str
    difficulty: str
    kind: str
    interface: tuple[str, ...]
    base: Tree
    reference: Tree
    hidden: Tree
    fail_to_pass: tuple[str, ...]
    pass_to_pass: tuple[str, ...]
    pack: str
    requirements: tuple[str, ...] = ()
    agent_seconds: float = 900.0
    tests_seconds: float = 60.0
    samples: Samples | None = None
    judge: Judge = Judge.IN_PROCESS

    @property
    def expected(self) -> tuple[str, ...]:
        """Every test id that a solution must pass, sorted."""
        return tuple(sorted({*self.fail_to_pass, *self.pass_to_pass}))

    @property
    def solved(self) -> bool:
        """Whether a reference is known; without one the reference is the base."""
        return self.reference != self.base

    @cached_property
    def id_hash(self) -> str:
        """Content hash over every field, so that none that is added later can be forgotten: 64 hex digits."""
        return hashlib.sha256(_canonical(self).encode("ascii")).hexdigest()


@dataclass(frozen=True, kw_only=True)
class Suite:
    """A versioned set of tasks. `packs` maps a pack's name to the TOML text of its rules; `npm_lock` is its package-lock.json.

    `left_out` are tasks that stand in the folder and cannot be used, each with its reason; they are no part of the suite.
    """

    id: str
    version: str
    tasks: tuple[Task, ...]
    packs: tuple[tuple[str, str], ...]
    tools: tuple[tuple[str, str], ...]
    private: bool = False
    npm_lock: str = ""
    left_out: tuple[tuple[str, str], ...] = ()

    @property
    def pins(self) -> tuple[str, ...]:
        """What an image holds: `name==version` of each tool, and where there is one `package-lock.json==` with its text."""
        lock = (("package-lock.json", self.npm_lock),) if self.npm_lock else ()
        return tuple(f"{name}=={content}" for name, content in (*self.tools, *lock))

    def split(self, split: Split) -> tuple[Task, ...]:
        """The tasks of one split, in the suite's order."""
        return tuple(task for task in self.tasks if task.split is split)

    @cached_property
    def by_id(self) -> dict[str, Task]:
        """The tasks by id."""
        return {task.id: task for task in self.tasks}

    def judged_hash(self, task: Task) -> str:
        """Content hash over a task and all that its verdicts hang on beside it: its rule pack and the tools. 64 hex digits."""
        parts = (task.id_hash, dict(self.packs).get(task.pack, ""), *self._tools_told)
        return hashlib.sha256(json.dumps(parts).encode("ascii")).hexdigest()

    @cached_property
    def hash(self) -> str:
        """Content hash over tasks in use, packs and tool versions: 64 hex digits."""
        return self._hash_of(tuple(task for task in self.tasks if task.split not in {Split.RESERVE, Split.RETIRED}))

    @cached_property
    def holdout_hash(self) -> str:
        """Content hash of the holdout alone; confirmations are counted against it over all campaigns."""
        return self._hash_of(self.split(Split.HOLDOUT))

    def rotated(self, times: int) -> Suite | None:
        """This suite with a third of its holdout exchanged for reserve tasks, so many times over; None where these are too few.

        Who has served longest goes first; at the beginning the order is that of content hashes, which says nothing of the tasks.
        """
        holdout, reserve = (sorted(self.split(split), key=lambda task: task.id_hash) for split in (Split.HOLDOUT, Split.RESERVE))
        gone = times * -(-len(holdout) // 3)
        if gone > len(reserve):
            return None
        queue = holdout + reserve[:gone]
        moved = {task.id: Split.RETIRED for task in queue[:gone]} | {task.id: Split.HOLDOUT for task in queue[gone:]}
        return replace(self, tasks=tuple(replace(task, split=moved.get(task.id, task.split)) for task in self.tasks))

    @property
    def _tools_told(self) -> tuple[str, ...]:
        lock = (f"package-lock.json={self.npm_lock}",) if self.npm_lock else ()
        return (*(f"{name}={value}" for name, value in self.tools), *lock)

    def _hash_of(self, tasks: tuple[Task, ...]) -> str:
        parts = [task.id_hash for task in tasks]
        parts += [*(f"{name}={value}" for name, value in self.packs), *self._tools_told]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _canonical(value: object) -> str:
    """A value of dataclasses as JSON: fields by name, trees by their ids."""

    def plain(part: object) -> object:
        if isinstance(part, Tree):
            return part.id
        if not is_dataclass(part):
            raise TypeError(f"a {type(part).__name__} has no canonical form")
        return {field.name: getattr(part, field.name) for field in fields(part)}

    return json.dumps(value, sort_keys=True, default=plain)
