"""Splits a suite by time and cluster: near-duplicates stay together, and what is newest decides.

Holdout tasks are newer than all others, so that neither a model's training nor earlier skills have seen what decides; the vault
comes from just before them, and dev is the oldest. Pure but for `apply_split`, which writes.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from harness.counted import counted
from harness.errors import InputError
from harness.leak import answers
from harness.suites.catalog import load_suite, load_task, read_toml
from harness.suites.emit import suite_toml
from harness.suites.files import SuiteFile, TaskFile
from harness.task import Split

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from harness.leak import Gram
    from harness.task import Suite, Task

SHARED = 0.2  # of the smaller task's 8-grams: above, two tasks are near-duplicates
FEWEST_HOLDOUT = 20  # under this an unattended promotion needs words in the configuration
FEWEST_DEV = 8  # under this a screen says little


@dataclass(frozen=True, slots=True, kw_only=True)
class Dated:
    """A task with the ISO date of its change ("" for none), by which it is ordered."""

    task: Task
    date: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """Where a task goes: its split and its cluster, named by the cluster's oldest task."""

    task: str
    split: Split
    cluster: str


def clusters(tasks: Sequence[Dated]) -> tuple[tuple[Dated, ...], ...]:
    """Near-duplicates together, each cluster in the order of time, clusters by their newest task."""
    grams = {one.task.id: answers(one.task) for one in tasks}
    owner = {one.task.id: one.task.id for one in tasks}

    def root(name: str) -> str:
        while owner[name] != name:
            name = owner[name]
        return name

    for first, second in combinations(sorted(grams), 2):
        if root(first) != root(second) and near(grams[first], grams[second]):
            owner[root(second)] = root(first)
    groups: dict[str, list[Dated]] = {}
    for one in sorted(tasks, key=_age):
        groups.setdefault(root(one.task.id), []).append(one)
    return tuple(sorted(map(tuple, groups.values()), key=lambda group: _age(group[-1])))


def near(first: set[Gram], second: set[Gram]) -> bool:
    """Whether more than a fifth of the smaller one's 8-grams stand in the other too."""
    smaller = min(len(first), len(second))
    return bool(smaller) and len(first & second) > SHARED * smaller


def placed(tasks: Sequence[Dated], *, holdout: float, vault: float) -> tuple[Placed, ...]:
    """Every task's place, in the tasks' order; shares of all tasks, whole clusters, the newest to the holdout.

    Raises:
        InputError: shares out of range.
    """
    if not (0 <= holdout <= 1 and 0 <= vault <= 1 and holdout + vault <= 1):
        raise InputError(f"holdout {holdout:g} and vault {vault:g} must be shares from 0 to 1, and not more than 1 together")
    wanted = {Split.HOLDOUT: round(holdout * len(tasks)), Split.VAULT: round(vault * len(tasks))}
    found: dict[str, Placed] = {}
    taken = Counter[Split]()
    for group in reversed(clusters(tasks)):
        split = next((split for split, most in wanted.items() if taken[split] + len(group) <= most), Split.DEV)
        if split is Split.DEV:
            wanted = {}  # what is older than a dev task is no newer than it
        taken[split] += len(group)
        found |= {one.task.id: Placed(task=one.task.id, split=split, cluster=group[0].task.id) for one in group}
    return tuple(found[one.task.id] for one in tasks)


def warnings(tasks: Sequence[Dated], places: Sequence[Placed]) -> tuple[str, ...]:
    """What a person should know before trusting the split."""
    counts = Counter(place.split for place in places)
    sizes = Counter(place.cluster for place in places)
    found = []
    if counts[Split.HOLDOUT] < FEWEST_HOLDOUT:
        found.append(f"{counted(counts[Split.HOLDOUT], 'holdout task')}; unattended promotion wants {FEWEST_HOLDOUT}")
    if counts[Split.DEV] < FEWEST_DEV:
        found.append(f"{counted(counts[Split.DEV], 'dev task')}; a screen on fewer than {FEWEST_DEV} says little")
    if sizes and max(sizes.values()) > max(2, len(places) // 4):
        cluster, size = sizes.most_common(1)[0]
        found.append(f"{size} of {len(places)} tasks are near-duplicates of {cluster}; they count as many and are one")
    undated = sum(not one.date for one in tasks)
    if undated:
        found.append(
            f"{counted(undated, 'task has no date', 'tasks have no date')}; counted as the oldest, in the order of their names"
        )
    return tuple(found)


def dated(folder: Path, suite: Suite) -> tuple[Dated, ...]:
    """A suite's tasks with their dates. Raises SuiteError."""
    heads = {task.id: read_toml(folder / "tasks" / task.id / "task.toml", TaskFile) for task in suite.tasks}
    return tuple(Dated(task=task, date=heads[task.id].metadata.harness.date) for task in suite.tasks)


def apply_split(folder: Path, places: Sequence[Placed]) -> Suite:
    """Write splits and clusters into the suite's task.toml files, and the new hashes into suite.toml; the suite as it is now.

    Raises:
        SuiteError: a file is not valid.
    """
    head = read_toml(folder / "suite.toml", SuiteFile)
    for place in places:
        path = folder / "tasks" / place.task / "task.toml"
        text = path.read_text(encoding="utf-8")
        for name, value in (("split", place.split), ("cluster", place.cluster)):
            line = f"{name} = {json.dumps(value)}".replace("\\", r"\\")
            text = re.sub(rf"(?m)^{name} = .*$", line, text, count=1)
        path.write_text(text, encoding="utf-8")
    hashes = {name: load_task(folder / "tasks" / name).id_hash for name in head.tasks}
    (folder / "suite.toml").write_text(suite_toml(head, hashes), encoding="utf-8")
    return load_suite(folder)


def _age(one: Dated) -> tuple[str, str]:
    return one.date, one.task.id
