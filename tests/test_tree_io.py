from pathlib import Path

import pytest

from harness.errors import InputError
from harness.tree import EXECUTABLE, File, Tree
from harness.tree_io import MOST_BYTES, read_tree, write_tree


def test_a_tree_that_was_written_is_read_back_without_caches(tmp_path: Path) -> None:
    tree = Tree.of({"src/a.py": b"x\r\n", "run": File(content=b"#!", mode=EXECUTABLE)})
    write_tree(tmp_path, tree)
    write_tree(tmp_path, Tree.of({"src/__pycache__/a.pyc": b"", "old.pyc": b"", ".git/config": b""}))
    assert read_tree(tmp_path) == tree


def test_a_link_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("elsewhere")
    with pytest.raises(InputError, match=r"link: links and special files"):
        read_tree(tmp_path)


def test_more_than_a_sandbox_takes_is_refused_with_the_file_before_it_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(b"x")
    with (tmp_path / "fixture.bin").open("wb") as file:
        file.truncate(16 * 1024 * MOST_BYTES)  # takes no room on disk, and more than any memory if it were read
    with pytest.raises(InputError, match=r"fixture\.bin: with this file .* holds more than the 96 MiB"):
        read_tree(tmp_path)
