"""Commits in small repositories that tests make."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from harness.tree import Tree
from harness.tree_io import write_tree

if TYPE_CHECKING:
    import git


def commit(repo: git.Repo, files: dict[str, str | None], message: str = "a change", date: str = "2026-01-01T00:00:00Z") -> str:
    """One commit that writes these files, None for one that goes."""
    folder = repo.working_dir
    for path in [path for path, text in files.items() if text is None]:
        repo.git.rm("-q", path)
    write_tree(Path(folder), Tree.of({path: text for path, text in files.items() if text is not None}))
    repo.git.add("-A")
    repo.git.execute(
        ["git", "-c", "user.name=a", "-c", "user.email=a@localhost", "commit", "-q", "-m", message],
        env={"GIT_COMMITTER_DATE": date},
    )
    return repo.head.commit.hexsha
