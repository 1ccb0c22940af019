"""A checkout's own history: what each commit changed, and when a line of a document came in."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.git_history import FILES, GitHistory
from harness.own_files import CACHES, suites_in
from harness.tree import File, Tree

if TYPE_CHECKING:
    from harness.git_history import Commit
    from harness.style.checks import Renames

LARGEST = 1_000_000  # bytes of a file that is read out of a step; larger ones hold no conventions


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What one commit changed: only the files that differ, before and after, with renames as (old, new)."""

    base: Tree
    after: Tree
    renames: Renames


class History(GitHistory):
    """A checkout's repository."""

    def listed(self) -> list[str]:
        """Paths of the work tree that are tracked, or neither tracked nor ignored."""
        found = self._bytes("ls-files", "-z", "--cached", "--others", "--exclude-standard")
        return sorted({os.fsdecode(name) for name in found.split(b"\0") if name})

    def step(self, commit: Commit) -> Step:
        """What a commit changed against its first parent, but for suites: those of HEAD, and those that come or go with it."""
        against = commit.parent or "--root"
        parts = iter(self._bytes("diff-tree", "-r", "-z", "-M", "--raw", "--no-commit-id", against, commit.id).split(b"\0"))
        base: list[tuple[str, str, str]] = []
        after: list[tuple[str, str, str]] = []
        renames = []
        for head in parts:
            if not head:
                continue
            old_mode, new_mode, old_blob, new_blob, status = head.decode().lstrip(":").split()
            old_name = os.fsdecode(next(parts))
            new_name = os.fsdecode(next(parts)) if status[0] in "RC" else old_name
            base += [(old_name, old_mode, old_blob)] if status[0] != "C" else []
            after.append((new_name, new_mode, new_blob))
            renames += [(old_name, new_name)] if status[0] == "R" else []
        dropped = (*self.suites, *suites_in([name for name, _, _ in (*base, *after)]))

        def foreign(name: str) -> bool:
            return name.startswith(dropped) or bool(CACHES.search(name))

        sides = [
            [(name, FILES[mode], blob) for name, mode, blob in side if mode in FILES and not foreign(name)]
            for side in (base, after)
        ]
        contents = self._contents({blob for side in sides for _, _, blob in side}, largest=LARGEST)
        trees = [Tree.of({name: File(content=contents[blob], mode=mode) for name, mode, blob in side}) for side in sides]
        kept = tuple(pair for pair in renames if not any(map(foreign, pair)))
        return Step(base=trees[0], after=trees[1], renames=kept)

    def introduced(self, path: str, words: str) -> str:
        """The ISO date of the oldest commit that changed how often the words stand in a file; empty where there is none."""
        options = ["--reverse", "--no-textconv", "--no-ext-diff", "--date=iso-strict-local", "--format=%cd"]
        said = self._text("--literal-pathspecs", "log", *options, f"-S{words}", "--", path)
        return said.split("\n", 1)[0].strip()
