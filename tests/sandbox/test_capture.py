"""Every kind of change comes out as it is, byte by byte."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from harness.tree import EXECUTABLE, REGULAR, File, FileChange, applied
from harness.tree_io import write_tree

if TYPE_CHECKING:
    from pathlib import Path

    from harness.task import Task
    from harness.tree import Tree
    from tests.sandbox.conftest import RunTrial

pytestmark = pytest.mark.docker

LONG = f"{'d' * 120}/{'e' * 120}"


@pytest.mark.parametrize(
    ("command", "path", "new"),
    [
        ("sed -i 's/done/ready/' tools/run.sh", "tools/run.sh", File(content=b"#!/bin/sh\r\necho ready\r\n")),
        ("chmod +x tools/run.sh", "tools/run.sh", File(content=b"#!/bin/sh\r\necho done\r\n", mode=EXECUTABLE)),
        ("printf 'a\\0\\377' > data.bin", "data.bin", File(content=b"a\0\xff")),
        ("printf 'no newline' > notes.txt", "notes.txt", File(content=b"no newline")),
        ("touch $'caf\\xe5.py'", "caf\udce5.py", File(content=b"")),
        ("echo x > $'tab\\there \"quoted\"\\nline'", 'tab\there "quoted"\nline', File(content=b"x\n")),
        ("rm tests/test_calc.py", "tests/test_calc.py", None),
        (f"mkdir -p {LONG} && touch {LONG}/f", f"{LONG}/f", File(content=b"")),
        ("echo x > secret; chmod 000 secret", "secret", File(content=b"x\n")),
        ("echo x > s; chmod 4755 s", "s", File(content=b"x\n", mode=EXECUTABLE)),
    ],
)
def test_one_file_comes_out_exactly(trial: RunTrial, task: Task, command: str, path: str, new: File | None) -> None:
    change = trial(command).change
    assert (FileChange(path=path, old=task.base.get(path), new=new),) == change.files
    assert change.patch.startswith(b"diff --git ")


def test_a_rename_keeps_both_names(trial: RunTrial) -> None:
    change = trial("mkdir src/sums && mv src/calc/__init__.py src/sums/__init__.py").change
    assert change.renames == (("src/calc/__init__.py", "src/sums/__init__.py"),)
    assert [file.path for file in change.files] == ["src/calc/__init__.py", "src/sums/__init__.py"]


def test_a_file_may_become_a_folder(trial: RunTrial) -> None:
    change = trial("rm -r tools && echo x > tools; rm pyproject.toml && mkdir pyproject.toml && echo y > pyproject.toml/z").change
    assert [file.path for file in change.files] == ["pyproject.toml", "pyproject.toml/z", "tools", "tools/run.sh"]


def test_the_patch_applied_to_the_base_gives_the_same_tree(trial: RunTrial, task: Task, tmp_path: Path) -> None:
    change = trial("sed -i 's/a - b/a + b/' src/calc/__init__.py; chmod +x tools/run.sh; printf '\\0x' > b; rm .gitignore").change
    write_tree(tmp_path, task.base)
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    subprocess.run(["git", "apply", "--whitespace=nowarn"], cwd=tmp_path, input=change.patch, check=True)
    after: Tree = applied(task.base, change.files)
    assert {path: (tmp_path / path).read_bytes() for path, _ in after} == {path: file.content for path, file in after}
    assert not (tmp_path / ".gitignore").exists()
    assert (tmp_path / "tools/run.sh").stat().st_mode & 0o777 == EXECUTABLE & 0o777


def test_hard_links_are_the_file_that_they_name(trial: RunTrial, task: Task) -> None:
    files = trial("ln pyproject.toml aaa.toml").change.files
    content = task.base.by_path["pyproject.toml"].content
    assert (FileChange(path="aaa.toml", old=None, new=File(content=content, mode=REGULAR)),) == files


def test_links_devices_compiled_files_and_nested_repositories_are_refused_and_listed(trial: RunTrial) -> None:
    change = trial(
        "ln -s /etc/passwd link; ln -s .. src/up; mkfifo pipe; touch x.so y.pth; git init -q sub && touch sub/f",
        "mkdir -p src/calc/__pycache__ build/lib x.egg-info .pytest_cache; touch src/calc/__pycache__/a.pyc build/lib/b.py",
        "touch x.egg-info/PKG-INFO .pytest_cache/c; git commit -qam x; git gc -q; echo '*' > .git/info/exclude",
    ).change
    assert [file.path for file in change.files] == ["sub/f"]
    assert list(change.refused) == [
        "link: a symbolic link",
        "pipe: a device, pipe or socket",
        "src/up: a symbolic link",
        "sub/.git: a nested repository",
        "x.so: a compiled file",
        "y.pth: a path configuration file",
    ]


def test_an_untouched_tree_is_an_empty_change(trial: RunTrial) -> None:
    change = trial("git status --short; python -m pytest -q; ruff check --no-cache . ; git stash list").change
    assert (change.empty, change.patch, change.refused) == (True, b"", ())


def test_a_workspace_that_the_agent_emptied_is_its_change(trial: RunTrial, task: Task) -> None:
    change = trial("rm -rf /work/* /work/.[a-z]*; chmod 777 /work").change
    assert [file.path for file in change.files] == [path for path, _ in task.base]
    assert {file.new for file in change.files} == {None}
