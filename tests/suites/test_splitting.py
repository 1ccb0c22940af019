from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import InputError
from harness.left_out import leaving_out
from harness.suites.catalog import load_suite
from harness.suites.emit import Entry, Origin, emit_suite
from harness.suites.files import SuiteFile
from harness.suites.splitting import Dated, apply_split, clusters, dated, placed, warnings
from harness.task import Split, Task
from harness.tree import Tree

if TYPE_CHECKING:
    from pathlib import Path


def numbered(task: Task, number: int, *, like: int | None = None) -> Dated:
    """A task of its own words, or of another one's."""
    words = [f"word{like or number}x{place}" for place in range(30)]
    hidden = Tree.of({"test_hidden.py": " ".join(words) + f"\n# {number}\n"})
    made = replace(task, id=f"basket-{number}", reference=task.base, hidden=hidden)
    return Dated(task=made, date=f"2026-01-{number:02d}")


def test_near_duplicates_are_one_cluster_and_others_are_not(task: Task) -> None:
    found = clusters([numbered(task, 1), numbered(task, 2), numbered(task, 3, like=1)])
    assert [[one.task.id for one in group] for group in found] == [["basket-2"], ["basket-1", "basket-3"]]


def test_what_the_suite_adds_to_hidden_tests_makes_no_near_duplicates(task: Task) -> None:
    names = [f"tests/test_it.py::test_number_{number}_is_not_stable" for number in range(9)]
    tasks = [numbered(task, number) for number in (1, 2)]
    added = [replace(one, task=replace(one.task, hidden=leaving_out(one.task.hidden, names))) for one in tasks]
    assert len(clusters(added)) == 2


def test_the_newest_decide_the_vault_comes_before_them_and_dev_is_the_oldest(task: Task) -> None:
    found = placed([numbered(task, number) for number in range(1, 11)], holdout=0.5, vault=0.2)
    assert [place.split for place in found] == [Split.DEV] * 3 + [Split.VAULT] * 2 + [Split.HOLDOUT] * 5


def test_a_cluster_is_never_cut(task: Task) -> None:
    tasks = [numbered(task, 1), numbered(task, 2), numbered(task, 3, like=1), numbered(task, 4)]
    found = placed(tasks, holdout=0.5, vault=0.0)
    assert [str(place.split) for place in found] == ["dev", "dev", "dev", "holdout"]
    assert found[0].cluster == found[2].cluster == "basket-1"


@given(st.lists(st.integers(1, 28), unique=True, max_size=12), st.floats(0, 1), st.floats(0, 1))
def test_no_holdout_task_is_older_than_any_other(task: Task, days: list[int], holdout: float, share: float) -> None:
    tasks = [numbered(task, day) for day in days]
    found = placed(tasks, holdout=holdout, vault=(1 - holdout) * share)
    by_split = {split: [one.date for one, place in zip(tasks, found, strict=True) if place.split is split] for split in Split}
    order = [date for split in (Split.DEV, Split.VAULT, Split.HOLDOUT) for date in sorted(by_split[split])]
    assert order == sorted(order)
    assert len(by_split[Split.HOLDOUT]) == round(holdout * len(tasks))


def test_shares_out_of_range_are_refused() -> None:
    with pytest.raises(InputError, match=r"holdout 0\.8 and vault 0\.3 must be shares from 0 to 1"):
        placed((), holdout=0.8, vault=0.3)


def test_what_a_person_should_know_is_told(task: Task) -> None:
    tasks = [replace(numbered(task, number, like=1), date="") for number in range(1, 5)]
    found = warnings(tasks, placed(tasks, holdout=0.5, vault=0.0))
    assert [text.split(";")[0] for text in found] == [
        "0 holdout tasks",
        "4 dev tasks",
        "4 of 4 tasks are near-duplicates of basket-1",
        "4 tasks have no date",
    ]


def test_a_split_is_written_and_read_back_with_new_hashes_and_nothing_else_changed(task: Task, tmp_path: Path) -> None:
    entries = [
        Entry(task=replace(task, id=f"basket-{number}"), title="x", source="mined", origin=Origin(date=f"2026-01-0{number}"))
        for number in (1, 2)
    ]
    head = SuiteFile(id="basket", version="1", packs={"basket": "spec = 1\n"}, private=True)
    before = emit_suite(tmp_path, entries, head)
    tasks = dated(tmp_path, before)
    after = apply_split(tmp_path, [replace(place, split=Split.HOLDOUT) for place in placed(tasks, holdout=0.0, vault=0.0)])
    assert [one.split for one in after.tasks] == [Split.HOLDOUT, Split.HOLDOUT]
    assert after == replace(before, tasks=tuple(replace(one, split=Split.HOLDOUT) for one in before.tasks))
    assert load_suite(tmp_path).private
    assert 'cluster = "basket-1"' in (tmp_path / "tasks/basket-2/task.toml").read_text("utf-8")
