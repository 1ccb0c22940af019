from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from harness.errors import InputError
from harness.review.labelled import GOOD, Labelled
from harness.review.labels import label_of, labelled, read_labels, settled
from harness.tree import File, Tree

if TYPE_CHECKING:
    from pathlib import Path

    from harness.task import Task

ACCEPTED = {"instruction": "Do it.", "files": [{"path": "a.py", "before": "x = 1\n", "after": "x = 2\n"}], "accepted": True}
REJECTED = ACCEPTED | {"accepted": False, "kind": "scope", "reason": "nobody asked", "who": "kim"}


def written(folder: Path, *lines: object) -> Path:
    path = folder / "labels.jsonl"
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines), encoding="utf-8")
    return path


def test_a_teams_history_is_read_line_by_line(tmp_path: Path) -> None:
    good, bad = read_labels(written(tmp_path, ACCEPTED, "", REJECTED))
    assert (good.accepted, good.kind, bad.accepted, bad.kind, bad.who) == (True, "", False, "scope", "kim")
    assert good.change_id == bad.change_id
    assert good.id != bad.id
    change = labelled(good, {})
    assert (change.kind, change.task.instruction) == (GOOD, "Do it.")
    assert [(file.path, file.old and file.old.text, file.new and file.new.text) for file in change.change.files] == [
        ("a.py", "x = 1\n", "x = 2\n")
    ]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", ":2: Invalid JSON"),
        (ACCEPTED | {"verdict": 1}, ":2: verdict: Extra inputs"),
        (ACCEPTED | {"accepted": "maybe"}, ":2: accepted: "),
        (ACCEPTED | {"files": []}, ":2: files: "),
        (ACCEPTED | {"instruction": ""}, ":2: instruction: "),
        (ACCEPTED | {"kind": "scope"}, "kind is one of"),
        (ACCEPTED | {"accepted": False}, "kind is one of"),
        (ACCEPTED | {"accepted": False, "kind": "taste"}, ":2: kind: "),
        (ACCEPTED | {"files": [{"path": "a", "before": "x", "after": "x"}]}, "before and after are the same"),
    ],
)
def test_one_bad_line_refuses_the_file_by_name_and_number(tmp_path: Path, line: object, words: str) -> None:
    with pytest.raises(InputError, match=r"labels\.jsonl") as caught:
        read_labels(written(tmp_path, ACCEPTED, line))
    assert words in str(caught.value)


def test_a_file_that_is_absent_empty_or_not_text_is_said_to_be(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_labels(tmp_path / "absent.jsonl")
    with pytest.raises(InputError, match="no labels"):
        read_labels(written(tmp_path, ""))
    (tmp_path / "odd.jsonl").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="cannot be read"):
        read_labels(tmp_path / "odd.jsonl")


def test_labels_that_contradict_each_other_count_for_nothing_until_a_person_settles_it(tmp_path: Path, task: Task) -> None:
    good, bad = read_labels(written(tmp_path, ACCEPTED, REJECTED))
    assert settled([good]) == ((good,), ())
    assert settled([good, good]) == ((good,), ())
    assert settled([good, bad]) == ((), ((good, bad),))
    person = label_of(labelled(good, {}), accepted=False, kind="scope", reason="looked again", who="ada")
    assert person.change_id == good.change_id
    assert settled([good, bad, person]) == ((person,), ())
    later = replace(person, accepted=True, kind="", reason="changed my mind")
    assert settled([good, bad, person, later]) == ((later,), ())
    assert task.id


def test_a_label_of_a_suites_task_is_asked_about_in_that_task(task: Task) -> None:
    gone = next(path for path, _ in task.base)
    after = Tree(files=tuple((path, file) for path, file in task.base if path != gone)).overlaid(Tree.of({"new.py": "y = 1\n"}))
    change = Labelled(task=task, after=after, kind="debris", source="x")
    label = label_of(change, accepted=False, kind="debris", reason="a file too many", who="")
    back = labelled(label, {task.id: task})
    assert (back.id, back.task.id, back.kind) == (change.id, task.id, "debris")


def test_a_change_that_is_not_text_cannot_be_kept_as_a_label(task: Task) -> None:
    after = task.base.overlaid(Tree.of({"picture.png": File(content=b"\xff\xd8")}))
    with pytest.raises(InputError, match=r"picture\.png is not text"):
        label_of(Labelled(task=task, after=after, kind=GOOD, source="x"), accepted=True, kind="", reason="fine", who="")
