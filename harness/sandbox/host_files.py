"""The last way to a base image: this machine's own Python, git and shell tools, with the libraries that they need."""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

TOOLS = (
    *("sh", "bash", "env", "ls", "cat", "cp", "mv", "rm", "mkdir", "rmdir", "ln", "chmod", "touch", "pwd", "echo", "printf"),
    *("test", "true", "false", "sleep", "date", "id", "head", "tail", "wc", "sort", "uniq", "cut", "tr", "basename", "dirname"),
    *("readlink", "realpath", "stat", "du", "df", "tee", "seq", "expr", "xargs", "find", "grep", "egrep", "sed", "awk", "diff"),
    *("cmp", "patch", "tar", "gzip", "which", "uname", "kill", "timeout", "mktemp", "git"),
)
LINKS = ("/bin", "/sbin", "/lib", "/lib64", "/lib32")
SKIPPED = frozenset({"__pycache__", "test", "tests", "site-packages", "dist-packages", "idlelib", "turtledemo", "tkinter"})
PASSWD = b"root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/bin/false\n"
GROUP = b"root:x:0:\nnogroup:x:65534:\n"
# What compiled wheels may count on everywhere (the manylinux policies), whether a tool here needs it or not.
COMMON = {"libgcc_s.so.1", "libstdc++.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libz.so.1"}
ELF = b"\x7fELF"


def host_archive(target: Path) -> None:
    """Write the root file system as a tar archive, everything owned by root and readable by all."""
    binaries = [Path(found) for tool in TOOLS if (found := shutil.which(tool))]
    python = Path(sys.base_prefix)
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    library = [path for path in _below(python / "lib" / version) if not SKIPPED & set(path.parts)]
    interpreter = python / "bin" / version
    needed = set(_libraries([*binaries, interpreter, *(path for path in library if path.suffix == ".so")]))
    with tarfile.open(target, "w") as archive:
        for link in LINKS:
            if Path(link).is_symlink():
                _add_link(archive, link, str(Path(link).readlink()))
        wanted = {*_common(), *binaries, interpreter, *library, *needed, Path("/etc/ld.so.cache")}
        for place, path in sorted({path.parent.resolve() / path.name: path for path in wanted}.items()):
            _add(archive, place, path)
        _add_link(archive, "/usr/bin/python3", str(interpreter))
        for folder in ("/proc", "/sys", "/dev", "/root", "/usr/local/bin"):
            _add_folder(archive, folder)
        _add_folder(archive, "/tmp", 0o1777)  # noqa: S108  (a folder of the image)
        _add_bytes(archive, "/etc/passwd", PASSWD)
        _add_bytes(archive, "/etc/group", GROUP)


def _below(folder: Path) -> Iterator[Path]:
    for name, _, files in os.walk(folder):
        yield from (Path(name) / file for file in files)


def _common() -> Iterator[Path]:
    """Places of the common libraries by the linker's own list."""
    said = subprocess.run(["ldconfig", "-p"], capture_output=True, text=True, check=False, env={"PATH": "/usr/sbin:/sbin"}).stdout
    for name, place in re.findall(r"^\s*(\S+) .*=> (\S+)$", said, re.MULTILINE):
        if name in COMMON:
            yield Path(place)


def _libraries(binaries: Iterable[Path]) -> Iterator[Path]:
    """Every library that `ldd` names for the binaries; scripts and static programs have none."""
    for binary in binaries:
        with binary.open("rb") as file:
            if file.read(4) != ELF:
                continue
        said = subprocess.run(["ldd", str(binary)], capture_output=True, text=True, check=False).stdout
        yield from (Path(name) for name in re.findall(r"(/[^\s()]+)", said))


def _add(archive: tarfile.TarFile, place: Path, path: Path) -> None:
    """Add a file at its place; a link is followed, so that no target can be missing."""
    if path.is_file():
        member = archive.gettarinfo(str(path.resolve()), arcname=str(place).lstrip("/"))
        member.type, member.uid, member.gid, member.uname, member.gname = tarfile.REGTYPE, 0, 0, "", ""
        member.mode = 0o755 if os.access(path, os.X_OK) else 0o644
        member.size = path.stat().st_size
        with path.open("rb") as file:
            archive.addfile(member, file)


def _add_link(archive: tarfile.TarFile, name: str, target: str) -> None:
    member = tarfile.TarInfo(name.lstrip("/"))
    member.type, member.linkname = tarfile.SYMTYPE, target
    archive.addfile(member)


def _add_folder(archive: tarfile.TarFile, name: str, mode: int = 0o755) -> None:
    member = tarfile.TarInfo(name.lstrip("/"))
    member.type, member.mode = tarfile.DIRTYPE, mode
    archive.addfile(member)


def _add_bytes(archive: tarfile.TarFile, name: str, content: bytes) -> None:
    member = tarfile.TarInfo(name.lstrip("/"))
    member.size, member.mode = len(content), 0o644
    archive.addfile(member, io.BytesIO(content))
