from dataclasses import replace
from itertools import product

import pytest

from harness.models.rehearsal.solutions import Label, samples_of, solution
from harness.task import Task
from harness.tree import edited

LABELS = [Label(tests=t, style=s, review=r) for t, s, r in product((True, False), repeat=3)]


def test_a_solution_is_the_reference_with_the_edits_of_its_label(task: Task) -> None:
    assert task.samples
    spoilt = edited(task.reference, (*task.samples.style, *task.samples.defect))
    assert solution(task, Label(tests=True, style=True, review=True)) == task.reference
    assert solution(task, Label(tests=True, style=False, review=False)) == spoilt


def test_there_are_six_different_solutions(task: Task) -> None:
    assert len({solution(task, label).id for label in LABELS}) == 6


def test_without_samples_six_different_solutions_are_made_from_the_reference(task: Task) -> None:
    bare = replace(task, id="bare", samples=None)
    assert len({solution(bare, label).id for label in LABELS}) == 6


def test_a_guessed_break_changes_one_place_of_code_that_the_reference_added(task: Task) -> None:
    (edit,) = samples_of(replace(task, id="bare", samples=None)).behaviour
    assert (edit.file, edit.find, edit.replace) == (
        "src/basket/prices.py",
        "    if not 0 <= discount <= 100:\n        raise ValueError(discount)\n",
        "",
    )


@pytest.mark.parametrize("label", LABELS)
def test_a_task_whose_reference_is_its_base_has_one_solution(task: Task, label: Label) -> None:
    assert solution(replace(task, id="same", reference=task.base, samples=None), label) == task.base
