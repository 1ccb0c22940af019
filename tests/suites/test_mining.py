"""Mining without containers: small repositories made here, each reason to reject, and runs that go on where they stopped."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import git
import pytest

from harness.errors import InputError
from harness.executors.local import LocalExecutor
from harness.suites.candidates import CANDIDATES, Outcome, read_outcomes, require_own
from harness.suites.catalog import load_task
from harness.suites.emit import Entry
from harness.suites.equip import Equipper
from harness.suites.history import Repository
from harness.suites.mining import Miner, Plan, difficulty, emit_whole, project_name, require_fit
from harness.suites.rejected import Reason, Rejected
from harness.testing import LocalLab
from harness.tree import Tree
from harness.tree_io import write_tree

if TYPE_CHECKING:
    from pathlib import Path

    from harness.task import Task

CORE = "def size(items):\n    return {}\n"
TEST = "from box.core import size\n\n\ndef test_size():\n    assert size([1]) == 1\n"
START = {"box/__init__.py": "", "box/core.py": CORE.format(0), "tests/test_core.py": "def test_old():\n    pass\n"}
FIX = {"box/core.py": CORE.format("len(items)\n\n\nMORE = 1"), "tests/test_core.py": TEST}


def repository(folder: Path, *changes: dict[str, str]) -> Path:
    """A repository with these changes, one commit each, after a start."""
    repo = git.Repo.init(folder)
    for number, files in enumerate((START, *changes)):
        write_tree(folder, Tree.of(files))
        repo.git.add("-A")
        words = [
            "git",
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@localhost",
            "commit",
            "-q",
            "-m",
            f"Change {number}\n\nSizes count.",
        ]
        repo.git.execute(words, env={"GIT_COMMITTER_DATE": f"2026-01-{number + 1:02d}T00:00:00Z"})
    repo.close()
    return folder


def mined(source: Path, out: Path, lab: LocalLab | None = None, **more: int) -> tuple[Outcome, ...]:
    """All outcomes, newest first."""
    place = lab or LocalLab()
    plan = Plan(out=out, project="box", today="2026-12-01", seconds=20.0, limit=more.get("limit"))
    miner = Miner(repository=Repository(source), lab=place, equipper=Equipper(place), plan=plan)
    return miner.run(LocalExecutor(2), lambda _: None)


def reason_of(tmp_path: Path, change: dict[str, str]) -> tuple[str, str]:
    """Why a repository's newest change is rejected, and whether containers were started for it."""
    outcome = mined(repository(tmp_path / "box", change), tmp_path / "out")[0]
    return outcome.reason, "tried" if outcome.tried else "on sight"


def test_a_candidate_becomes_a_task_folder_that_reads_back(tmp_path: Path) -> None:
    outcome = mined(repository(tmp_path / "box", FIX), tmp_path / "out")[0]
    task = load_task(tmp_path / "out/tasks" / outcome.task)
    assert (task.fail_to_pass, task.pass_to_pass, task.difficulty) == (("tests/test_core.py::test_size",), (), "easy")
    assert task.base.by_path["box/core.py"].text == START["box/core.py"]
    assert task.reference.by_path["tests/test_core.py"].text == TEST
    assert "Sizes count." in task.instruction
    assert outcome.fix[:8] not in outcome.task
    text = (tmp_path / "out/tasks" / outcome.task / "task.toml").read_text("utf-8")
    assert f'fix_commit = "{outcome.fix}"' in text
    assert 'date = "2026-01-02' in text
    assert f'name = "out/{outcome.task}"' in text
    assert not (tmp_path / "out/.new").exists()


@pytest.mark.parametrize(
    ("change", "reason", "when"),
    [
        ({"tests/test_core.py": TEST}, Reason.NO_SOURCE, "on sight"),
        ({"box/core.py": FIX["box/core.py"]}, Reason.NO_TESTS, "on sight"),
        (FIX | {"box/core.py": "\n".join(f"X{number} = 1" for number in range(300))}, Reason.SIZE, "on sight"),
        (FIX | {"box/core.py": "# Zero,\n# always.\n" + CORE.format(0)}, Reason.SAME_CODE, "on sight"),
        (FIX | {"pyproject.toml": '[project]\nname = "box"\nrequires-python = "<3"\n'}, Reason.INTERPRETER, "tried"),
        (FIX | {"tests/test_core.py": "import nowhere_at_all\n"}, Reason.ENVIRONMENT, "tried"),
        (FIX | {"tests/test_core.py": "def test_more():\n    pass\n"}, Reason.NOT_TOLD_APART, "tried"),
        (FIX | {"box/keys.py": "TOKEN = 'AKIA" + "IOSFODNN7QXRTEWP'\n"}, Reason.PRIVATE, "tried"),
    ],
)
def test_every_reason_to_reject_a_candidate_is_told(tmp_path: Path, change: dict[str, str], reason: Reason, when: str) -> None:
    assert reason_of(tmp_path, change) == (reason, when)


def test_a_helper_that_changes_brings_all_tests_or_where_those_are_too_many_the_changed_ones(tmp_path: Path) -> None:
    helper = {"tests/helper.py": "X = 1\n"}
    many = "import pytest\n\n\n@pytest.mark.parametrize('x', range({}))\ndef test_x(x):\n    pass\n"
    kept = []
    for count in (2, 1200):
        folder = tmp_path / str(count)
        changes = ({"tests/test_many.py": many.format(count)}, FIX | helper)
        outcome = mined(repository(folder / "box", *changes), folder / "out")[0]
        kept.append(len(load_task(folder / "out/tasks" / outcome.task).expected))
    assert kept == [3, 1]


def test_a_run_that_was_stopped_goes_on_and_tries_nothing_twice(tmp_path: Path) -> None:
    other = {
        "box/more.py": "def more():\n    return 1\n",
        "tests/test_more.py": "from box.more import more\n\n\ndef test_more():\n    assert more()\n",
    }
    source = repository(tmp_path / "box", FIX, other)
    first = mined(source, tmp_path / "out", limit=1)
    lab = LocalLab()
    both = mined(source, tmp_path / "out", lab)
    assert [bool(one.task) for one in both] == [True, True]
    assert both[0] == first[0]
    assert len((tmp_path / "out" / CANDIDATES).read_text("utf-8").splitlines()) == 2
    again = LocalLab()
    assert mined(source, tmp_path / "out", again) == both
    assert (again.graded, lab.graded) == (0, 6)


def test_a_line_that_a_kill_cut_off_is_dropped_and_tried_again(tmp_path: Path) -> None:
    source = repository(tmp_path / "box", {"tests/test_core.py": TEST})
    mined(source, tmp_path / "out")
    path = tmp_path / "out" / CANDIDATES
    path.write_text(path.read_text("utf-8")[:-30], encoding="utf-8")
    assert read_outcomes(path) == ()
    assert mined(source, tmp_path / "out")[0].reason == Reason.NO_SOURCE


def test_a_place_that_holds_anything_else_is_refused_and_one_of_this_repository_is_gone_on_with(tmp_path: Path) -> None:
    steps = Repository(repository(tmp_path / "box", {"tests/test_core.py": TEST})).steps()
    for free in ("none", "empty"):
        (tmp_path / "empty").mkdir(exist_ok=True)
        require_own(tmp_path / free, steps)
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="is a file"):
        require_own(tmp_path / "file", steps)
    (tmp_path / "other").mkdir()
    (tmp_path / "other/suite.toml").touch()
    with pytest.raises(InputError, match="no suite that is being mined"):
        require_own(tmp_path / "other", steps)
    (tmp_path / "other" / CANDIDATES).write_text(Outcome(fix="f" * 40, date="", title="").model_dump_json() + "\n", "utf-8")
    with pytest.raises(InputError, match="mined from another repository"):
        require_own(tmp_path / "other", steps)
    (tmp_path / "other" / CANDIDATES).write_text(Outcome(fix=steps[0].id, date="", title="").model_dump_json() + "\n", "utf-8")
    require_own(tmp_path / "other", steps)


def test_a_list_of_candidates_that_is_not_ours_is_refused(tmp_path: Path) -> None:
    path = tmp_path / CANDIDATES
    for content in (b'{"fix": 1}\n', b"\xff\n"):
        path.write_bytes(content)
        with pytest.raises(InputError, match="not a list of candidates"):
            read_outcomes(path)


def test_a_task_that_does_not_read_back_is_rejected_and_leaves_nothing(task: Task, tmp_path: Path) -> None:
    binary = replace(task, reference=task.reference.overlaid(Tree.of({"logo.bin": b"\0\1\2"})))
    with pytest.raises(Rejected) as caught:
        emit_whole(tmp_path, Entry(task=binary, title="x", source="mined"), ())
    assert caught.value.reason is Reason.FORM
    assert not list(tmp_path.rglob("tasks/*"))


def test_a_secret_is_told_by_its_place_alone(task: Task) -> None:
    secret = "AKIA" + "IOSFODNN7QXRTEWP"
    with pytest.raises(Rejected) as caught:
        require_fit(replace(task, base=task.base.overlaid(Tree.of({"keys.py": f"KEY = '{secret}'\n"}))))
    assert "keys.py:1" in caught.value.detail
    assert secret not in str(caught.value) + caught.value.log


def test_what_its_owner_calls_harmless_is_no_secret(task: Task) -> None:
    kept = replace(task, base=task.base.overlaid(Tree.of({"tests/keys.py": "KEY = 'AKIA" + "IOSFODNN7QXRTEWP'\n"})))
    require_fit(kept, ("tests/**",))
    with pytest.raises(Rejected):
        require_fit(kept, ("src/**",))


def test_difficulty_is_the_worst_of_its_three_measures() -> None:
    assert [difficulty(*size) for size in ((15, 1, 4), (16, 1, 4), (15, 3, 1), (15, 4, 1), (61, 1, 1), (1, 1, 13))] == [
        "easy",
        "medium",
        "medium",
        "hard",
        "hard",
        "hard",
    ]


def test_a_project_is_called_what_it_calls_itself() -> None:
    named = Tree.of({"pyproject.toml": '[project]\nname = "My.Box_2"\n'})
    assert [project_name(tree, "Folder") for tree in (named, Tree())] == ["my-box-2", "folder"]
