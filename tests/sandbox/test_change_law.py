"""The law of change capture: what is taken out, stored as a patch and applied again is the same tree, whatever it holds."""

from __future__ import annotations

import io
import subprocess
import tarfile
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.sandbox.repository import Repository
from harness.sandbox.snapshot import GENERATED, snapshot
from harness.tree import EXECUTABLE, REGULAR, File, Tree, applied
from harness.tree_io import write_tree

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ODD = [
    "a b",
    "tab\there",
    "new\nline",
    'quo"te',
    "back\\slash",
    "caf\udce5",
    "é",
    "-x",
    "x" * 100,
    ".hidden",
    "nul",
    "a.b",
    "git",
]
NAMES = st.one_of(
    st.sampled_from(["a", "b", "src", "x.py", *ODD]),
    st.binary(min_size=1, max_size=6)
    .map(lambda raw: raw.replace(b"/", b"_").replace(b"\0", b"_").decode("utf-8", "surrogateescape"))
    .filter(lambda name: name not in {".", "..", ".git", *GENERATED} and not name.startswith(".git")),
)
CONTENTS = st.one_of(
    st.sampled_from(
        [
            b"",
            b"\n",
            b"one\ntwo\n",
            b"one\r\ntwo\r\n",
            b"no end",
            b"\r",
            b"a\0b",
            b"\xff\xfe",
            b"x\n" * 50,
            b"--- a\n+++ b\n@@ -1 +1 @@\n",
        ]
    ),
    st.binary(max_size=40),
)
FILES = st.builds(File, content=CONTENTS, mode=st.sampled_from([REGULAR, EXECUTABLE]))


def nested(names: list[tuple[list[str], File]]) -> Tree:
    """A tree of the files, leaving out those below or in the place of one before."""
    files: dict[str, File] = {}
    for parts, file in names:
        path = "/".join(parts)
        if not any(path == known or path.startswith(f"{known}/") or known.startswith(f"{path}/") for known in files):
            files[path] = file
    return Tree.of(dict(files))


TREES = st.lists(st.tuples(st.lists(NAMES, min_size=1, max_size=3), FILES), max_size=6).map(nested)


def archived(tree: Tree) -> Iterator[bytes]:
    """The tree as the engine's archive of the workspace."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", encoding="utf-8", errors="surrogateescape") as archive:
        folder = tarfile.TarInfo("work")
        folder.type, folder.mode = tarfile.DIRTYPE, 0o1775
        archive.addfile(folder)
        for path, file in tree:
            member = tarfile.TarInfo(f"work/{path}")
            member.size, member.mode = len(file.content), file.mode & 0o777
            archive.addfile(member, io.BytesIO(file.content))
    yield stream.getvalue()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for all examples."""
    return tmp_path_factory.mktemp("law")


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(base=TREES, after=TREES)
def test_take_out_store_and_apply_give_the_same_tree(place: Path, base: Tree, after: Tree) -> None:
    found = snapshot(archived(after))
    assert (found.tree, found.refused) == (after, ())
    repository = Repository(place / "changes.git")
    change = repository.change(base, found.tree)
    repository.close()
    assert applied(base, change.files) == after
    assert patched_by_git(place, base, change.patch) == after


def patched_by_git(place: Path, base: Tree, patch: bytes) -> Tree:
    """The tree that git itself makes of a base and a patch, in an index alone: no file system has a say in names or modes."""
    folder = place / "applied"

    def git(*words: str, given: bytes = b"") -> bytes:
        options = ("-c", "core.quotePath=false", "-c", "core.autocrlf=false", "-c", "core.protectNTFS=false")
        return subprocess.run(["git", *options, *words], cwd=folder, input=given, check=True, capture_output=True).stdout

    if not folder.exists():
        folder.mkdir()
        git("init", "-q")
    git("read-tree", "--empty")
    entries = []
    for path, file in base:
        blob = git("hash-object", "-w", "--no-filters", "--stdin", given=file.content).strip()
        entries.append(b"%o %s\t%s\0" % (file.mode, blob, path.encode("utf-8", "surrogateescape")))
    git("update-index", "-z", "--index-info", given=b"".join(entries))
    if patch:
        git("apply", "--cached", "--whitespace=nowarn", "-", given=patch)
    files: dict[str, File | bytes | str] = {}
    for line in git("ls-files", "-z", "--stage").split(b"\0"):
        if line:
            head, _, name = line.partition(b"\t")
            mode, blob, _ = head.split()
            content = git("cat-file", "blob", blob.decode())
            files[name.decode("utf-8", "surrogateescape")] = File(content=content, mode=int(mode, 8))
    return Tree.of(files)


def test_a_tree_on_disk_is_the_tree_that_was_written(tmp_path: Path) -> None:
    tree = Tree.of({f"d{number}/{name}": b"x" for number, name in enumerate(ODD)})
    write_tree(tmp_path, tree)
    assert sorted(tree.by_path) == sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file())
