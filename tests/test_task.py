from dataclasses import replace

import pytest

from harness.task import Split, Suite, Task
from harness.tree import Tree

OTHER = Tree.of({"other.py": "x = 1\n"})


@pytest.mark.parametrize(
    "change",
    [
        {"id": "other"},
        {"instruction": "Do something else."},
        {"base": OTHER},
        {"reference": OTHER},
        {"hidden": OTHER},
        {"fail_to_pass": ("test_hidden.py::test_other",)},
        {"pass_to_pass": ("test_hidden.py::test_other",)},
        {"requirements": ("attrs==25.1.0",)},
    ],
    ids=lambda change: next(iter(change)),
)
def test_everything_that_a_trial_depends_on_is_in_a_tasks_hash(task: Task, change: dict[str, object]) -> None:
    assert replace(task, **change).id_hash != task.id_hash  # type: ignore[arg-type]


def suite(
    *tasks: Task, tools: tuple[tuple[str, str], ...] = (("ruff", "0.17.6"),), packs: tuple[tuple[str, str], ...] = ()
) -> Suite:
    return Suite(id="s", version="1", tasks=tasks, packs=packs, tools=tools)


def test_a_suites_hash_covers_tasks_splits_packs_and_tools(task: Task) -> None:
    held = replace(task, split=Split.HOLDOUT)
    suites = (suite(task), suite(held), suite(task, held), suite(task, tools=()), suite(task, packs=(("p", "spec = 1"),)))
    assert len({found.hash for found in suites}) == len(suites)


def test_the_holdouts_hash_does_not_change_with_dev_tasks(task: Task) -> None:
    held = replace(task, id="held", split=Split.HOLDOUT)
    assert suite(task, held).holdout_hash == suite(held).holdout_hash != suite(task).holdout_hash


def test_a_sample_that_fails_tests_and_passes_review_does_not_exist(task: Task) -> None:
    assert task.samples
    with pytest.raises(ValueError, match="no sample"):
        task.samples.edits(tests=False, style=True, review=True)


def test_a_sample_that_fails_tests_is_spoilt_by_its_behaviour_alone(task: Task) -> None:
    assert task.samples
    assert task.samples.edits(tests=False, style=True, review=False) == task.samples.behaviour
