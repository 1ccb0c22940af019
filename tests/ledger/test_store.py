import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from harness.errors import InputError, LedgerError, UnavailableError
from harness.ledger.chain import Head, breaks
from harness.ledger.schema import EventRow, PromotionRow
from harness.ledger.store import Store
from harness.ledger.tables import MIGRATIONS, migrate


def clock() -> datetime:
    return datetime(2026, 11, 29, 22, 0, tzinfo=UTC)


def event(key: str, data: str = "") -> EventRow:
    return EventRow(key=key, name="note", data=data)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / ".harness" / "ledger.db", clock) as opened:
        yield opened


def test_rows_come_back_as_they_were_written_and_in_order(store: Store) -> None:
    ledger = store.campaign("c1")
    rows = (event("b", "second thoughts"), event("a"))
    ledger.add(*rows)
    assert ledger.rows(EventRow) == rows
    assert ledger.find(EventRow, "a") == rows[1]
    assert ledger.find(EventRow, "absent") is None


def test_the_first_writing_of_a_key_stands(store: Store) -> None:
    ledger = store.campaign("c1")
    ledger.add(event("a", "first"))
    ledger.add(event("a", "second"), event("b"))
    assert ledger.rows(EventRow) == (event("a", "first"), event("b"))
    assert store.head().seq == 2


def test_a_key_twice_in_one_call_is_written_once(store: Store) -> None:
    store.campaign("c1").add(event("a", "first"), event("a", "second"))
    assert store.campaign("c1").rows(EventRow) == (event("a", "first"),)


def test_rows_of_one_call_are_written_together_or_not_at_all(store: Store) -> None:
    with pytest.raises(LedgerError, match=r"no text: .* cannot be a row's key"):
        store.campaign("c1").add(event("a"), event("no text: \udcff"))
    assert store.entries() == ()


def test_a_key_with_bytes_that_are_no_text_is_refused_in_words_when_looked_for_too(store: Store) -> None:
    with pytest.raises(LedgerError, match="cannot be a row's key"):
        store.campaign("c1").find(EventRow, "no text: \udcff")
    store.campaign("c1").add(event("a"))
    assert breaks(store.walk()) == ()


def test_campaigns_do_not_see_each_other_except_through_everywhere(store: Store) -> None:
    store.campaign("c1").add(event("a", "one"))
    store.campaign("c2").add(event("a", "two"))
    assert store.campaign("c2").rows(EventRow) == (event("a", "two"),)
    assert store.campaign("c2").everywhere(EventRow) == (event("a", "one"), event("a", "two"))
    assert store.campaigns() == ("c1", "c2")


def test_undecodable_bytes_and_any_script_survive(store: Store) -> None:
    row = event("naïve-日本", "caf\udce9 \u202e \x1b[31m \U0001f600 \x00")
    store.campaign("c1").add(row)
    assert store.campaign("c1").rows(EventRow) == (row,)


def test_entries_carry_the_clocks_time_and_form_one_chain(tmp_path: Path) -> None:
    times = iter(clock() + timedelta(seconds=number, microseconds=1999) for number in range(9))
    with Store.open(tmp_path / "ledger.db", lambda: next(times)) as store:
        store.campaign("c1").add(event("a"), event("b"))
        store.campaign("c2").add(event("a"))
        entries = store.entries()
    assert [entry.time for entry in entries] == ["2026-11-29T22:00:01.001Z"] * 2 + ["2026-11-29T22:00:02.001Z"]
    assert breaks(entries) == ()


def test_a_clock_without_a_time_zone_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="aware"):
        Store.open(tmp_path / "ledger.db", lambda: datetime(2026, 1, 1))  # noqa: DTZ001


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entry SET body = '{}'",
        "DELETE FROM entry",
        "INSERT OR REPLACE INTO entry SELECT * FROM entry WHERE seq = 1",
        "INSERT OR REPLACE INTO entry SELECT 2, time, campaign, kind, key, '{}', prev, hash FROM entry WHERE seq = 1",
        "INSERT INTO entry SELECT 7, time, campaign, kind, 'new', body, prev, hash FROM entry WHERE seq = 1",
    ],
)
def test_the_database_itself_refuses_to_rewrite(store: Store, statement: str) -> None:
    store.campaign("c1").add(event("a"))
    before = store.entries()
    connection = sqlite3.connect(store.path)
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        connection.execute(statement)
    connection.close()
    assert store.entries() == before


def test_people_read_tables_by_name_with_any_sqlite(store: Store) -> None:
    store.campaign("c1").add(PromotionRow(key="d1", generation=3, old="a", new="b", reason="beat"))
    connection = sqlite3.connect(store.path)
    found = connection.execute("SELECT campaign_id, key, generation, new FROM promotion").fetchall()
    connection.close()
    assert found == [("c1", "d1", 3, "b")]


def test_a_reader_sees_what_is_acknowledged_and_does_not_block_the_writer(store: Store) -> None:
    store.campaign("c1").add(event("a"))
    with Store.read(store.path) as reader:
        walk = reader.walk(chunk=1)
        next(walk)
        store.campaign("c1").add(event("b"))
        assert reader.campaign("c1").rows(EventRow) == (event("a"), event("b"))


def test_a_reader_cannot_write(store: Store) -> None:
    with Store.read(store.path) as reader, pytest.raises(LedgerError, match="reading only"):
        reader.campaign("c1").add(event("a"))


def test_many_threads_write_one_chain(store: Store) -> None:
    def write(worker: int) -> None:
        for number in range(20):
            store.campaign(f"c{worker % 2}").add(event(f"{worker}/{number}"))

    workers = [threading.Thread(target=write, args=(worker,)) for worker in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert store.head().seq == 160
    assert breaks(store.walk()) == ()


def test_a_second_writer_is_told_who_holds_the_ledger(store: Store) -> None:
    with pytest.raises(UnavailableError, match=rf"pid {os.getpid()} on .* since 2026-11-29T22:00:00.000Z"):
        Store.open(store.path, clock)


def test_the_lock_of_a_dead_process_is_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    writer = _writer(path, pause=30)
    assert writer.stdout is not None
    assert writer.stdout.readline() == b"0\n"
    writer.send_signal(signal.SIGKILL)
    writer.communicate()
    with Store.open(path, clock) as store:
        assert store.head().seq == 1


@pytest.mark.parametrize("count", [1, 7, 40])
def test_a_killed_writer_loses_nothing_that_it_acknowledged(tmp_path: Path, count: int) -> None:
    path = tmp_path / "ledger.db"
    writer = _writer(path, pause=0)
    assert writer.stdout is not None
    acknowledged = [int(writer.stdout.readline()) for _ in range(count)]
    writer.send_signal(signal.SIGKILL)
    rest, _ = writer.communicate()
    acknowledged += [int(line) for line in rest.splitlines(keepends=True) if line.endswith(b"\n")]
    with Store.open(path, clock) as store:
        ledger = store.campaign("c1")
        rows = ledger.rows(EventRow)
        assert [row.key for row in rows][: len(acknowledged)] == [str(number) for number in acknowledged]
        assert {ledger.blob(row.data) for row in rows} == {f"blob {row.key}".encode() for row in rows}
        assert breaks(store.walk()) == ()
        ledger.add(event("after"))
        assert breaks(store.walk()) == ()


def _writer(path: Path, *, pause: float) -> subprocess.Popen[bytes]:
    program = f"""
        import itertools, time
        from datetime import UTC, datetime
        from pathlib import Path
        from harness.ledger.schema import EventRow
        from harness.ledger.store import Store
        store = Store.open(Path({str(path)!r}), lambda: datetime.now(UTC))
        ledger = store.campaign("c1")
        for number in itertools.count():
            ledger.add(EventRow(key=str(number), name="note", data=ledger.put_blob(f"blob {{number}}".encode())))
            print(number, flush=True)
            time.sleep({pause})
    """
    return subprocess.Popen([sys.executable, "-c", textwrap.dedent(program)], stdout=subprocess.PIPE)


def test_a_missing_ledger_is_an_input_error_that_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no ledger here; `harness evolve` makes one"):
        Store.read(tmp_path / "ledger.db")


@pytest.mark.parametrize("opener", [lambda path: Store.open(path, clock), Store.read], ids=["write", "read"])
@pytest.mark.parametrize(
    "content", [b"not a database at all, but long enough to be taken for one" * 20, b"SQLite format 3\0" + bytes(84)]
)
def test_a_file_that_is_no_database_is_named(tmp_path: Path, opener: object, content: bytes) -> None:
    path = tmp_path / "ledger.db"
    path.write_bytes(content)
    assert callable(opener)
    with pytest.raises(LedgerError, match=r"ledger\.db: .*(restore|move)"):
        opener(path)
    assert path.read_bytes() == content


def test_another_programs_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE mine (x)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(LedgerError, match="not a ledger"):
        Store.open(path, clock)
    assert path.read_bytes() == before


def test_a_torn_ledger_is_an_error_that_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    with Store.open(path, clock) as store:
        store.campaign("c1").add(*(event(str(number), "x" * 500) for number in range(200)))
    path.write_bytes(path.read_bytes()[:20_000])
    with pytest.raises(LedgerError, match=r"ledger\.db: .*malformed"), Store.read(path) as store:
        list(store.walk())


def test_a_newer_ledger_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    Store.open(path, clock).close()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(LedgerError, match="written by a newer harness"):
        Store.read(path)


def test_a_migration_is_made_once_keeps_every_row_and_is_undone_when_it_fails(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    with Store.open(path, clock) as store:
        store.campaign("c1").add(event("a"))
        before = store.entries()
    connection = sqlite3.connect(path, isolation_level=None)
    with pytest.raises(sqlite3.OperationalError):
        migrate(connection, (*MIGRATIONS, ("CREATE TABLE extra (x)", "no SQL")))
    assert _tables(connection) == ["entry"]
    later = (*MIGRATIONS, ("CREATE INDEX entry_by_time ON entry (time)",))
    migrate(connection, later)
    assert connection.execute("PRAGMA user_version").fetchone() == (2,)
    connection.execute("PRAGMA user_version = 1")  # so that this harness reads it
    connection.close()
    with Store.read(path) as store:
        assert store.entries() == before


def _tables(connection: sqlite3.Connection) -> list[str]:
    return [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]


def test_an_older_view_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    Store.open(path, clock).close()
    connection = sqlite3.connect(path)
    connection.execute("DROP VIEW event")
    connection.execute("CREATE VIEW event AS SELECT 1 AS old")
    connection.commit()
    connection.close()
    Store.open(path, clock).close()
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT name, data FROM event").fetchall() == []
    connection.close()


def test_an_empty_ledger_has_the_genesis_as_head(store: Store) -> None:
    assert store.head() == Head()
