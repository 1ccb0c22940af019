"""A suite on disk: read back as it was written, and refused where a byte of it was changed."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from harness.errors import SuiteError
from harness.suites.catalog import load_suite

if TYPE_CHECKING:
    from pathlib import Path

    from harness.task import Task

TASK = "tasks/basket-discount"


@pytest.fixture
def folder(suite_folder: Path, tmp_path: Path) -> Path:
    """A suite of one's own, to be spoilt."""
    shutil.copytree(suite_folder, tmp_path / "basket")
    return tmp_path / "basket"


def refused(folder: Path) -> str:
    with pytest.raises(SuiteError) as caught:
        load_suite(folder)
    return str(caught.value)


def test_a_task_reads_back_as_it_was_written(folder: Path, task: Task) -> None:
    assert load_suite(folder).tasks == (task,)


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("environment/base/src/basket/prices.py", "environment/base: its files differ from the hash in task.toml"),
        ("tests/overlay/test_hidden.py", "tests/overlay: its files differ from the hash in task.toml"),
        ("instruction.md", "basket-discount: content differs from the hash"),
    ],
)
def test_a_changed_file_is_refused_by_its_hash(folder: Path, path: str, words: str) -> None:
    with (folder / TASK / path).open("a", encoding="utf-8") as file:
        file.write("# more\n")
    assert words in refused(folder)


def test_a_changed_reference_is_refused_by_its_hash(folder: Path) -> None:
    patch = folder / TASK / "solution/change.patch"
    patch.write_text(
        patch.read_text(encoding="utf-8").replace("+    full = sum(prices)", "+    full = max(prices)"), encoding="utf-8"
    )
    assert "change.patch: applying it does not give the reference named in task.toml" in refused(folder)


def test_a_changed_list_of_expected_tests_is_refused_by_its_hash(folder: Path) -> None:
    (folder / TASK / "tests/fail_to_pass.json").write_text("[]\n", encoding="utf-8")
    assert "content differs from the hash" in refused(folder)


@pytest.mark.parametrize(
    ("path", "old", "new", "words"),
    [
        ("suite.toml", 'id = "basket"', "", "suite.toml: id: Field required"),
        ("suite.toml", 'id = "basket"', 'id = "basket"\ncolour = "red"', "suite.toml: colour: Extra inputs"),
        ("suite.toml", 'id = "basket"', 'id = "basket', "suite.toml: not valid TOML"),
        (f"{TASK}/task.toml", 'split = "dev"', 'split = "train"', "task.toml: metadata.harness.split"),
        (f"{TASK}/tests/pass_to_pass.json", "[", "{", "pass_to_pass.json: not valid JSON"),
    ],
)
def test_a_malformed_file_is_named_with_its_place(folder: Path, path: str, old: str, new: str, words: str) -> None:
    text = (folder / path).read_text(encoding="utf-8")
    assert old in text
    (folder / path).write_text(text.replace(old, new, 1), encoding="utf-8")
    assert words in refused(folder)


def test_a_task_that_is_listed_but_not_there_is_named(folder: Path) -> None:
    shutil.rmtree(folder / TASK)
    assert "basket-discount/task.toml: cannot be read" in refused(folder)
