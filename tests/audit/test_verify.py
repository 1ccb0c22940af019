import shutil
import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from harness.audit.verify import anchors_in, verification_text, verify
from harness.ledger.chain import Head
from harness.ledger.schema import TrialRow
from harness.ledger.store import Store
from harness.report.page import write_report

Ledgers = Callable[[str], Path]


@pytest.fixture
def copy(ledger: Ledgers, tmp_path: Path) -> Path:
    """A ledger of one's own, to be tampered with."""
    shutil.copytree(ledger("screened").parent, tmp_path / "copy")
    return tmp_path / "copy" / "ledger.db"


def tamper(path: Path, statement: str, *values: object) -> None:
    """What somebody with the file and a little knowledge would do."""
    connection = sqlite3.connect(path)
    for trigger in ("entry_no_update", "entry_no_delete", "entry_in_order"):
        connection.execute(f"DROP TRIGGER {trigger}")
    connection.execute(statement, values)
    connection.commit()
    connection.close()


def test_an_untouched_ledger_is_sound(ledger: Ledgers) -> None:
    with Store.read(ledger("promoted")) as store:
        found = verify(store, (store.head(),))
    assert found.sound
    assert (found.entries, found.anchors) == (found.head.seq, 1)
    assert verification_text(found).startswith(f"Sound: {found.entries:,} entries and {found.blobs} blobs checked")


@pytest.mark.parametrize("seq", [1, 57, 200])
def test_a_changed_row_is_named_by_number_table_and_key(copy: Path, seq: int) -> None:
    tamper(copy, "UPDATE entry SET body = replace(body, '{', '{ ') WHERE seq = ?", seq)
    with Store.read(copy) as store:
        (entry,) = [entry for entry in store.entries() if entry.seq == seq]
        (fault,) = verify(store).faults
    assert fault.where == f"entry {seq} ({entry.kind} {entry.key})"
    assert fault.problem == "its content does not have its hash: the row was changed after it was written"


def test_a_removed_row_is_named_by_the_one_after_it(copy: Path) -> None:
    tamper(copy, "DELETE FROM entry WHERE seq = 40")
    with Store.read(copy) as store:
        (fault,) = verify(store).faults
    assert (fault.where.split(" (")[0], fault.problem) == ("entry 41", "follows entry 39 with 1 entry gone between them")


def test_a_cut_tail_shows_only_against_an_anchor(copy: Path) -> None:
    with Store.read(copy) as store:
        anchor = store.head()
    tamper(copy, "DELETE FROM entry WHERE seq > ?", anchor.seq - 3)
    with Store.read(copy) as store:
        assert verify(store).sound
        (fault,) = verify(store, (anchor,)).faults
    assert fault.problem == f"anchored outside, but the ledger ends at {anchor.seq - 3}"


def test_a_page_anchors_the_ledger_it_was_made_from(copy: Path, tmp_path: Path) -> None:
    with Store.read(copy) as store:
        write_report(store, store.campaigns()[0], tmp_path / "reports")
        (anchor,) = anchors_in(tmp_path / "reports")
        assert anchor == store.head()
    tamper(copy, "DELETE FROM entry WHERE seq = ?", anchor.seq)
    with Store.read(copy) as store:
        assert not verify(store, anchors_in(tmp_path / "reports")).sound


def test_no_page_gives_no_anchor(tmp_path: Path) -> None:
    assert anchors_in(tmp_path / "absent") == ()


def test_a_changed_blob_and_an_absent_one_are_named_with_the_row_that_needs_them(copy: Path) -> None:
    with Store.read(copy) as store:
        row = store.campaign(store.campaigns()[0]).rows(TrialRow)[0]
    changed, absent = (copy.parent / "blobs" / name[:2] / name[2:] for name in (row.change_blob, row.evidence_blob))
    changed.write_bytes(b"other")
    absent.unlink()
    with Store.read(copy) as store:
        faults = verify(store).faults
    assert {fault.where.split(",")[0] for fault in faults} == {f"blob {row.change_blob}", f"blob {row.evidence_blob}"}
    assert all(row.key in fault.where for fault in faults)


def test_a_row_that_is_no_row_is_named(copy: Path) -> None:
    tamper(copy, """UPDATE entry SET body = '{"key": "x"}' WHERE seq = 5""")
    with Store.read(copy) as store:
        faults = verify(store).faults
    assert len([fault for fault in faults if fault.where.startswith("entry 5 ")]) == 2
    assert any("is no row of this version" in fault.problem for fault in faults)


def test_faults_are_listed_one_a_line_with_their_count(copy: Path) -> None:
    tamper(copy, "UPDATE entry SET time = 'then' WHERE seq IN (3, 9)")
    with Store.read(copy) as store:
        lines = verification_text(verify(store)).splitlines()
    assert [line.split(" (")[0] for line in lines[:2]] == ["entry 3", "entry 9"]
    assert lines[2].startswith("2 faults: ")


def test_an_empty_ledger_is_sound(tmp_path: Path) -> None:
    Store.open(tmp_path / "ledger.db", lambda: datetime(2026, 1, 1, tzinfo=UTC)).close()
    with Store.read(tmp_path / "ledger.db") as store:
        found = verify(store)
    assert (found.sound, found.head) == (True, Head())
