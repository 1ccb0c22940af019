from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import git
import pytest

from harness.sandbox.repository import Repository, require_only
from harness.tree import EXECUTABLE, File, Tree
from harness.tree_io import write_tree

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BASE = Tree.of(
    {"a.txt": "one\ntwo\nthree\nfour\n", "src/b.py": "x = 1\n", ".gitignore": "build/\n*.log\n", "sub/.gitignore": "/here\n"}
)


@pytest.fixture
def repository(tmp_path: Path) -> Iterator[Repository]:
    """An empty repository of the harness."""
    made = Repository(tmp_path / "changes.git")
    yield made
    made.close()


def test_equal_trees_are_an_empty_change(repository: Repository) -> None:
    assert repository.change(BASE, BASE).empty


def test_a_change_of_the_executable_bit_alone_is_a_change(repository: Repository) -> None:
    change = repository.change(BASE, BASE.overlaid(Tree.of({"src/b.py": File(content=b"x = 1\n", mode=EXECUTABLE)})))
    assert change.patch == b"diff --git a/src/b.py b/src/b.py\nold mode 100644\nnew mode 100755\n"


def test_a_patch_ends_with_its_last_newline_and_keeps_carriage_returns(repository: Repository) -> None:
    patch = repository.change(BASE, BASE.overlaid(Tree.of({"src/b.py": "x = 2\r\n"}))).patch
    assert patch.endswith(b"-x = 1\n+x = 2\r\n")


def test_renames_name_both_paths(repository: Repository) -> None:
    moved = Tree.of({path.replace("a.txt", "docs/\udce5 b.txt"): file for path, file in BASE})
    assert repository.change(BASE, moved).renames == (("a.txt", "docs/\udce5 b.txt"),)


def test_ignored_paths_are_those_of_the_bases_own_files_and_of_built_ones(repository: Repository) -> None:
    paths = ["build/lib/x.py", "deep/er.log", "sub/here", "here", "src/new.py", "x.egg-info/PKG", "caf\udce5.log", "n\nl.py"]
    ignored = {"build/lib/x.py", "deep/er.log", "sub/here", "x.egg-info/PKG", "caf\udce5.log"}
    assert repository.ignored(BASE, paths) == ignored


def test_history_is_one_commit_by_nobody_and_holds_nothing_else(repository: Repository, tmp_path: Path) -> None:
    folder = tmp_path / "work"
    write_tree(folder, BASE.overlaid(repository.history(BASE)))

    def git(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, text=True).stdout

    assert git("log", "--all", "--format=%an <%ae> %aI %s") == "Base <base@localhost> 2000-01-01T00:00:00+00:00 Base\n"
    assert git("status", "--short") == ""
    assert git("for-each-ref", "--format=%(refname)") == "refs/heads/main\n"
    counted = len(git("cat-file", "--batch-all-objects", "--batch-check").splitlines())
    assert counted == len(BASE) + 3 + 1  # blobs, three folders, one commit
    assert not (folder / ".git/logs").exists()


@pytest.mark.parametrize(
    "words",
    [
        ("commit", "--allow-empty", "-m", "second"),
        ("tag", "-a", "v1", "-m", "the fix"),
        ("hash-object", "-w", "later.py"),
        ("commit", "--amend", "-m", "the first is still there"),
        ("stash",),
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_a_history_with_anything_to_find_beside_its_commit_is_refused(tmp_path: Path, words: tuple[str, ...]) -> None:
    write_tree(tmp_path, Tree.of({"a.py": "x = 1\n"}))
    with git.Repo.init(tmp_path) as repo:
        repo.git.add("a.py")
        name = ("-c", "user.name=n", "-c", "user.email=e")
        repo.git.execute(["git", *name, "commit", "-m", "first"])
        require_only(repo, repo.head.commit.hexsha)
        (tmp_path / "later.py").write_text("fixed = 1\n", encoding="utf-8")
        (tmp_path / "a.py").write_text("fixed = 1\n", encoding="utf-8")
        repo.git.execute(["git", *name, *words])
        with pytest.raises(RuntimeError, match="more than its one commit"):
            require_only(repo, repo.head.commit.hexsha)
