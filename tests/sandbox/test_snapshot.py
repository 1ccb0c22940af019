from __future__ import annotations

import io
import tarfile
from typing import TYPE_CHECKING

import pytest

from harness.sandbox.snapshot import Snapshot, StaleError, TooLargeError, snapshot
from harness.tree import EXECUTABLE, File, Tree

if TYPE_CHECKING:
    from collections.abc import Iterator


def member(
    name: str, content: bytes = b"", kind: bytes = tarfile.REGTYPE, link: str = "", mode: int = 0o644
) -> tuple[tarfile.TarInfo, bytes]:
    """One entry below the workspace's folder."""
    info = tarfile.TarInfo(f"work/{name}")
    info.size, info.type, info.linkname, info.mode = len(content), kind, link, mode
    return info, content


def archive(*members: tuple[tarfile.TarInfo, bytes], root_mode: int = 0o1775, root_uid: int = 0) -> Iterator[bytes]:
    """A tar stream of a workspace, in small chunks."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", encoding="utf-8", errors="surrogateescape") as out:
        root = tarfile.TarInfo("work/")
        root.type, root.mode, root.uid = tarfile.DIRTYPE, root_mode, root_uid
        out.addfile(root)
        for info, content in members:
            out.addfile(info, io.BytesIO(content))
    data = stream.getvalue()
    return iter([data[start : start + 1000] for start in range(0, len(data), 1000)])


def test_regular_files_come_out_with_bytes_names_and_the_executable_bit() -> None:
    found = snapshot(archive(member("a.py", b"x\r\n"), member("caf\udce5", b"\0"), member("bin/run", b"#!", mode=0o4755)))
    expected = Tree.of({"a.py": b"x\r\n", "caf\udce5": b"\0", "bin/run": File(content=b"#!", mode=EXECUTABLE)})
    assert Snapshot(tree=expected, refused=()) == found


@pytest.mark.parametrize(
    ("entry", "refused"),
    [
        (member("../etc/passwd", b"x"), "../etc/passwd: a path that leaves the workspace"),
        (member("/etc/passwd", b"x"), "/etc/passwd: a path that leaves the workspace"),
        (member("a/../../b", b"x"), "a/../../b: a path that leaves the workspace"),
        (member("s", kind=tarfile.SYMTYPE, link="/etc"), "s: a symbolic link"),
        (member("d", kind=tarfile.CHRTYPE), "d: a device, pipe or socket"),
        (member("f", kind=tarfile.FIFOTYPE), "f: a device, pipe or socket"),
        (member("h", kind=tarfile.LNKTYPE, link="/etc/passwd"), "h: a hard link to nothing that was read"),
        (member("sub/.git/config", b"x"), "sub/.git: a nested repository"),
        (member("x.pyd", b"x"), "x.pyd: a compiled file"),
        (member("x.pth", b"x"), "x.pth: a path configuration file"),
    ],
)
def test_what_is_no_plain_file_of_the_workspace_is_refused_by_name(entry: tuple[tarfile.TarInfo, bytes], refused: str) -> None:
    assert snapshot(archive(entry, member("ok", b"1"))) == Snapshot(tree=Tree.of({"ok": b"1"}), refused=(refused,))


def test_hard_links_take_the_bytes_of_the_member_read_before_even_a_generated_one() -> None:
    first = member("__pycache__/z", b"x = 1\n")
    found = snapshot(archive(first, member("a.py", kind=tarfile.LNKTYPE, link="work/__pycache__/z")))
    assert found == Snapshot(tree=Tree.of({"a.py": b"x = 1\n"}), refused=())


def test_the_agents_repository_and_caches_are_left_out_without_a_word() -> None:
    paths = (".git/config", "src/__pycache__/a.pyc", ".pytest_cache/x", ".ruff_cache/y", ".hypothesis/z")
    assert snapshot(archive(*(member(path, b"x") for path in paths))) == Snapshot(tree=Tree(), refused=())


@pytest.mark.parametrize(("mode", "uid"), [(0o755, 0), (0o1775, 1000)])
def test_another_folder_than_the_live_workspace_is_our_fault(mode: int, uid: int) -> None:
    with pytest.raises(StaleError):
        snapshot(archive(member("a", b"x"), root_mode=mode, root_uid=uid))


def test_too_many_bytes_or_entries_end_the_reading() -> None:
    chunk = bytes(1024 * 1024)
    info, _ = member("huge")
    info.size = 100 * 1024**3
    head = b"".join(archive())[: tarfile.BLOCKSIZE] + info.tobuf()
    with pytest.raises(TooLargeError, match="192 MiB"):
        snapshot(iter([head, *(chunk for _ in range(200))]))
    with pytest.raises(TooLargeError, match="files and folders"):
        snapshot(archive(*(member(f"f{number}") for number in range(11))), most_entries=10)
