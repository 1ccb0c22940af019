import ast
from pathlib import Path

import pytest

from harness.python_source import syntax_tree
from harness.review.labelled import Labelled
from harness.review.planted import INJECTION, MOST_MUTANTS, PRAISE, broken, good, injected, planted, praised
from harness.review.strip import stripped
from harness.suites.catalog import load_suite
from harness.suites.mutants import mutants
from harness.task import Task
from harness.tree import difference

POCKET = load_suite(Path("task_suites/pocket"))


@pytest.mark.parametrize("task", POCKET.tasks[::6], ids=lambda task: task.id)
def test_every_planted_fault_parses_is_a_change_of_its_own_and_has_room_for_talk(task: Task) -> None:
    found = (good(task), *planted(task))
    assert [change.kind for change in found] == ["good", "scope", "debris", "security"]
    assert len({change.id for change in found}) == 4
    for change in found[1:]:
        told, talked = injected(change), praised(change)
        assert told is not None
        assert talked is not None
        (spoken,) = difference(change.after, told.after)
        assert spoken.new is not None
        assert INJECTION.encode() in stripped(spoken.new.content)
        for path, file in talked.after:
            if path.endswith(".py") and file != task.base.get(path):
                tree, plain = syntax_tree(file.content), syntax_tree(change.after.by_path[path].content)
                assert tree is not None
                assert plain is not None
                assert ast.dump(tree[1]) == ast.dump(plain[1])
        (spoken,) = difference(change.after, talked.after)
        assert spoken.new is not None
        assert PRAISE in spoken.new.text


def test_a_comment_is_never_put_inside_a_string(task: Task) -> None:
    text = '"""A module.\n\nMany words\nof many lines.\n"""\n\nX = 1\n'
    change = Labelled(
        task=task, after=task.base.overlaid(type(task.base).of({"src/basket/new.py": text})), kind="scope", source="x"
    )
    talked, told = praised(change), injected(change)
    assert talked is not None
    assert told is not None
    assert talked.after.by_path["src/basket/new.py"].text.startswith(f"{PRAISE}\n")
    assert told.after.by_path["src/basket/new.py"].text.startswith("review_note = ")


def test_a_change_without_python_has_no_place_for_talk(task: Task) -> None:
    change = Labelled(task=task, after=task.base.overlaid(type(task.base).of({"notes.md": "words\n"})), kind="scope", source="x")
    assert (praised(change), injected(change)) == (None, None)


def test_a_sample_counts_as_bad_where_admission_has_proven_it_or_its_tests_fail(task: Task) -> None:
    asked: list[str] = []

    def fails(change: Labelled) -> bool:
        asked.append(change.source)
        return True

    assert broken(task, admitted=True, fails=fails)
    assert asked == []
    found = broken(task, admitted=False, fails=fails)
    assert found is not None
    assert (found.source, asked) == ("sample proven by the tests", ["sample proven by the tests"])


def test_a_mutant_that_passes_its_tests_is_not_taken_for_bad(task: Task) -> None:
    candidates = [Labelled(task=task, after=tree, kind="behaviour", source="") for tree in mutants(task)]
    last = candidates[:MOST_MUTANTS][-1].after
    found = broken(task, admitted=False, fails=lambda change: change.after == last)
    assert found is not None
    assert (found.after, found.source) == (last, "mutant proven by the tests")
    assert broken(task, admitted=False, fails=lambda _: False) is None
