import hashlib
import threading
from pathlib import Path

import pytest

from harness.errors import LedgerError
from harness.ledger.blobs import BlobStore


@pytest.fixture
def blobs(tmp_path: Path) -> BlobStore:
    return BlobStore(tmp_path / "blobs")


def test_a_blob_is_a_plain_file_named_by_its_hash(blobs: BlobStore, tmp_path: Path) -> None:
    content = b"any \xff bytes\0"
    name = blobs.put(content)
    assert name == hashlib.sha256(content).hexdigest()
    assert (tmp_path / "blobs" / name[:2] / name[2:]).read_bytes() == content
    assert blobs.get(name) == content
    assert list(blobs.names()) == [name]


def test_putting_equal_content_again_changes_nothing(blobs: BlobStore, tmp_path: Path) -> None:
    name = blobs.put(b"same")
    path = tmp_path / "blobs" / name[:2] / name[2:]
    before = path.stat().st_mtime_ns
    assert blobs.put(b"same") == name
    assert path.stat().st_mtime_ns == before


def test_a_changed_blob_is_named_when_read_and_mended_when_put_again(blobs: BlobStore, tmp_path: Path) -> None:
    name = blobs.put(b"as it was")
    (tmp_path / "blobs" / name[:2] / name[2:]).write_bytes(b"as it is")
    with pytest.raises(LedgerError, match=f"blob {name} was changed"):
        blobs.get(name)
    blobs.put(b"as it was")
    assert blobs.get(name) == b"as it was"


def test_an_absent_blob_is_named(blobs: BlobStore) -> None:
    with pytest.raises(LedgerError, match=f"blob {'a' * 64} cannot be read"):
        blobs.get("a" * 64)


@pytest.mark.parametrize("name", ["", "../../etc/passwd", "A" * 64, "a" * 63])
def test_a_name_can_be_no_path(blobs: BlobStore, name: str) -> None:
    with pytest.raises(LedgerError, match="no name of a blob"):
        blobs.get(name)


def test_unfinished_files_are_no_blobs(blobs: BlobStore, tmp_path: Path) -> None:
    name = blobs.put(b"whole")
    (tmp_path / "blobs" / name[:2] / f".{name[2:18]}.abcd").write_bytes(b"who")
    assert list(blobs.names()) == [name]


def test_many_threads_may_put_the_same_content(blobs: BlobStore) -> None:
    names: list[str] = []
    workers = [threading.Thread(target=lambda: names.extend(blobs.put(bytes([n])) for n in range(30))) for _ in range(6)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(names) == 180
    assert sorted(set(names)) == list(blobs.names())


def test_removing_tells_the_size(blobs: BlobStore) -> None:
    name = blobs.put(b"12345")
    assert (blobs.remove(name), blobs.remove(name), list(blobs.names())) == (5, 0, [])


def test_a_folder_that_cannot_be_written_is_a_ledger_error(tmp_path: Path) -> None:
    (tmp_path / "blobs").write_text("in the way")
    with pytest.raises(LedgerError, match="cannot be written"):
        BlobStore(tmp_path / "blobs").put(b"x")
