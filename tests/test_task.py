from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.task import Judge, Split, Suite, Task
from harness.tree import Tree

OTHER = Tree.of({"other.py": "x = 1\n"})


def test_every_field_of_a_task_is_in_its_hash(task: Task) -> None:
    changed: dict[str, object] = {field.name: "other" for field in fields(Task)}
    changed |= dict.fromkeys(("base", "reference", "hidden"), OTHER)
    changed |= dict.fromkeys(("interface", "fail_to_pass", "pass_to_pass", "requirements"), ("other",))
    changed |= {"agent_seconds": 1.0, "tests_seconds": 1.0, "split": Split.VAULT, "judge": Judge.VALUES, "samples": None}
    same = [name for name, value in changed.items() if replace(task, **{name: value}).id_hash == task.id_hash]  # type: ignore[arg-type]
    assert same == []


def test_lists_of_tests_that_read_the_same_when_joined_have_different_hashes(task: Task) -> None:
    one = replace(task, fail_to_pass=("a", "b"), pass_to_pass=())
    assert one.id_hash != replace(one, fail_to_pass=("a",), pass_to_pass=("b",)).id_hash


def test_what_judges_a_task_is_the_task_its_own_pack_and_the_tools(task: Task) -> None:
    ruled = replace(task, pack="p")
    with_pack = suite(ruled, packs=(("p", "spec = 1"), ("q", "spec = 1")))
    assert with_pack.judged_hash(ruled) == replace(with_pack, packs=(("p", "spec = 1"),)).judged_hash(ruled)
    others = (replace(with_pack, packs=(("p", "spec = 2"),)), replace(with_pack, tools=()))
    hashes = {found.judged_hash(ruled) for found in (with_pack, *others)} | {with_pack.judged_hash(task)}
    assert len(hashes) == 4


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


def holdout_of(found: Suite | None) -> list[str]:
    assert found is not None
    return sorted(one.id for one in found.split(Split.HOLDOUT))


@given(held=st.integers(1, 12), spare=st.integers(0, 12), times=st.integers(0, 4))
def test_a_rotation_keeps_the_holdouts_size_and_who_entered_last_leaves_last(
    task: Task, held: int, spare: int, times: int
) -> None:
    plain = suite(
        *(replace(task, id=f"hold-{n}", split=Split.HOLDOUT) for n in range(held)),
        *(replace(task, id=f"spare-{n}", split=Split.RESERVE) for n in range(spare)),
    )
    third = -(-held // 3)
    found = plain.rotated(times)
    assert (found is None) == (times * third > spare)
    if found:
        before, after = plain.rotated(max(0, times - 1)), found
        assert len(holdout_of(found)) == held
        assert len(set(holdout_of(before)) & set(holdout_of(after))) == (held if times == 0 else held - third)
        assert found.by_id.keys() == plain.by_id.keys()
        assert len(found.split(Split.RETIRED)) == times * third
        assert all(name.startswith("spare") for name in holdout_of(found)) == (times * third >= held)


def test_waiting_tasks_are_no_part_of_what_a_suite_is_and_serving_ones_are(task: Task) -> None:
    held = [task, *(replace(task, id=f"hold-{n}", split=Split.HOLDOUT) for n in range(3))]
    both = suite(*held, replace(task, id="spare", split=Split.RESERVE))
    assert both.hash == suite(*held).hash
    once = both.rotated(1)
    assert once is not None
    assert len({both.hash, once.hash, both.holdout_hash, once.holdout_hash}) == 4
