"""The ledger on disk: an SQLite file of chained entries with its blobs beside it, for one writer and any number of readers.

Every `add` is one transaction, synced before it returns. What a row is stands in schema.py; what the chain covers in chain.py.
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from contextlib import ExitStack, contextmanager
from datetime import UTC
from typing import TYPE_CHECKING, Self, TypeVar, cast

from pydantic import ValidationError

from harness.errors import InputError, LedgerError
from harness.ledger.blobs import BlobStore
from harness.ledger.chain import Entry, Head, canonical, following
from harness.ledger.lock import writer_lock
from harness.ledger.schema import ROWS, Row
from harness.ledger.tables import NotOursError, migrate, schema_version
from harness.printable import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime
    from pathlib import Path
    from types import TracebackType

R = TypeVar("R", bound=Row)

BUSY_SECONDS = 30.0
_COLUMNS = "seq, time, campaign, kind, key, body, prev, hash"


class Store:
    """One ledger file. Safe for many threads; made by `open` (for writing, under the writer's lock) or `read`."""

    def __init__(self, connection: sqlite3.Connection, path: Path, clock: Callable[[], datetime] | None, held: ExitStack) -> None:
        self._connection = connection
        self._path = path
        self._clock = clock
        self._held = held
        self._mutex = threading.RLock()
        self.blobs = BlobStore(path.parent / "blobs")

    @classmethod
    def open(cls, path: Path, clock: Callable[[], datetime]) -> Store:
        """Open for writing; makes folder and file where absent, migrates where old. `clock` gives aware times.

        Raises:
            UnavailableError: another process writes this ledger.
            LedgerError: the file is damaged, not a ledger, newer than this harness, or cannot be written.
        """
        with ExitStack() as stack:
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                stack.enter_context(writer_lock(path.with_name("lock"), _stamp(clock())))
            except OSError as error:
                raise LedgerError(f"{path}: cannot be written ({error.strerror}); fix the rights or move it") from error
            with _explained(path):
                connection = stack.enter_context(_closing(_connected(str(path))))
                schema_version(connection)  # refuses a foreign file before anything is set in it
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = FULL")
                migrate(connection)
            return cls(connection, path, clock, stack.pop_all())

    @classmethod
    def read(cls, path: Path) -> Store:
        """Open for reading only; never blocks the writer, and sees what it has acknowledged.

        Raises:
            InputError: there is no such file.
            LedgerError: the file is damaged, not a ledger, or newer than this harness.
        """
        if not path.is_file():
            raise InputError(f"{path}: no ledger here; `harness evolve` makes one, --config names another folder")
        with ExitStack() as stack, _explained(path):
            connection = stack.enter_context(_closing(_connected(_read_only(path), uri=True)))
            if schema_version(connection) == 0:
                raise NotOursError("the file is empty, no harness has written to it yet; remove it")
            return cls(connection, path, None, stack.pop_all())

    def close(self) -> None:
        """Close the file and give the lock back."""
        with self._mutex:
            self._held.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    @property
    def path(self) -> Path:
        """The database file."""
        return self._path

    def campaign(self, campaign: str) -> CampaignLedger:
        """One campaign's view, as the engine knows it."""
        return CampaignLedger(self, campaign)

    def campaigns(self) -> tuple[str, ...]:
        """The campaigns of this ledger, oldest first."""
        found = self._fetch("SELECT campaign FROM entry GROUP BY campaign ORDER BY min(seq)")
        return tuple(str(name) for (name,) in found)

    def head(self) -> Head:
        """The last entry's number and hash."""
        found = self._fetch("SELECT seq, hash FROM entry ORDER BY seq DESC LIMIT 1")
        return Head(seq=cast("int", found[0][0]), hash=str(found[0][1])) if found else Head()

    def entries(self, campaign: str | None = None, kind: str | None = None, key: str | None = None) -> tuple[Entry, ...]:
        """The entries that fit, in the order of writing, as of one moment."""
        fits = {"campaign": campaign, "kind": kind, "key": key}
        wanted = {column: value for column, value in fits.items() if value is not None}
        where = " AND ".join(f"{column} = ?" for column in wanted) or "1"
        found = self._fetch(f"SELECT {_COLUMNS} FROM entry WHERE {where} ORDER BY seq", *wanted.values())  # noqa: S608  (our names)
        return tuple(_entry(values) for values in found)

    def walk(self, chunk: int = 1000) -> Iterator[Entry]:
        """All entries in order, a chunk at a time, so that verifying a large ledger needs no more memory than a small one."""
        last = -1
        while found := self._fetch(f"SELECT {_COLUMNS} FROM entry WHERE seq > ? ORDER BY seq LIMIT ?", last, chunk):  # noqa: S608
            yield from (_entry(values) for values in found)
            last = cast("int", found[-1][0])

    def copy_to(self, path: Path) -> None:
        """Write the database as of one moment into a new file that stands alone.

        Raises:
            LedgerError: either file cannot be read or written.
        """
        with self._mutex, _explained(path), _closing(_connected(str(path))) as copy:
            self._connection.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")

    def add(self, campaign: str, rows: tuple[Row, ...]) -> None:
        """Append rows in one transaction, durable on return; rows whose key exists are left as they stand.

        Raises:
            LedgerError: the ledger was opened for reading, or the file cannot be written.
        """
        if self._clock is None:
            raise LedgerError(f"{self._path}: opened for reading only")
        bodies = [(row.table, row.key, canonical(row.model_dump(mode="python"))) for row in rows]
        with self._mutex, _explained(self._path):
            self._connection.execute("BEGIN IMMEDIATE")
            with self._connection:
                head, time = self.head(), _stamp(self._clock())
                for kind, key, body in bodies:
                    if self._has(campaign, kind, key):
                        continue
                    entry = following(head, time, campaign, (kind, key, body))
                    self._connection.execute(f"INSERT INTO entry ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", _values(entry))  # noqa: S608
                    head = entry.head

    def _has(self, campaign: str, kind: str, key: str) -> bool:
        return bool(self._fetch("SELECT 1 FROM entry WHERE campaign = ? AND kind = ? AND key = ?", campaign, kind, key))

    def _fetch(self, query: str, *values: object) -> list[tuple[object, ...]]:
        with self._mutex, _explained(self._path):
            return self._connection.execute(query, values).fetchall()


class CampaignLedger:
    """The `Ledger` port over a store (see schema.py for its contract)."""

    def __init__(self, store: Store, campaign: str) -> None:
        self._store = store
        self._campaign = campaign

    @property
    def campaign(self) -> str:
        """The campaign's hash."""
        return self._campaign

    def add(self, *rows: Row) -> None:
        """Append rows in one transaction, durable on return."""
        self._store.add(self._campaign, rows)

    def find(self, model: type[R], key: str) -> R | None:
        """The row with this key in this campaign, or None."""
        found = self._store.entries(self._campaign, model.table, key)
        return row_of(found[0], model) if found else None

    def rows(self, model: type[R]) -> tuple[R, ...]:
        """All rows of one table in this campaign, in the order of writing."""
        return tuple(row_of(entry, model) for entry in self._store.entries(self._campaign, model.table))

    def everywhere(self, model: type[R]) -> tuple[R, ...]:
        """All rows of one table over all campaigns of the ledger."""
        return tuple(row_of(entry, model) for entry in self._store.entries(kind=model.table))

    def put_blob(self, content: bytes) -> str:
        """Store bytes by content and return their SHA-256 hex; durable on return."""
        return self._store.blobs.put(content)

    def blob(self, name: str) -> bytes:
        """The bytes of a blob."""
        return self._store.blobs.get(name)


def row_of(entry: Entry, model: type[R]) -> R:
    """The row that an entry holds.

    Raises:
        LedgerError: the body is not such a row: damaged, or written by a newer harness.
    """
    try:
        return model.model_validate(json.loads(entry.body))
    except (ValueError, ValidationError) as error:
        problem = str(error).splitlines()[0]
        raise LedgerError(f"entry {entry.seq} ({entry.kind} {entry.key}) is no row of this version: {problem}") from error


def any_row(entry: Entry) -> Row:
    """The row that an entry holds, by the name of its table.

    Raises:
        LedgerError: there is no such table, or the body is not such a row.
    """
    if entry.kind not in ROWS:
        raise LedgerError(f"entry {entry.seq}: no table is named {entry.kind!r}; known are {', '.join(ROWS)}")
    return row_of(entry, ROWS[entry.kind])


def _stamp(time: datetime) -> str:
    """UTC, milliseconds, always the same width: sorts as text."""
    if time.tzinfo is None:
        raise ValueError(f"the ledger's clock must give aware times, not {time!r}")
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{time.microsecond // 1000:03d}Z"


def _entry(values: tuple[object, ...]) -> Entry:
    seq, *texts = values
    time, campaign, kind, key, body, prev, digest = map(str, texts)
    return Entry(seq=cast("int", seq), time=time, campaign=campaign, kind=kind, key=key, body=body, prev=prev, hash=digest)


def _values(entry: Entry) -> tuple[int | str, ...]:
    return entry.seq, entry.time, entry.campaign, entry.kind, entry.key, entry.body, entry.prev, entry.hash


def _connected(name: str, *, uri: bool = False) -> sqlite3.Connection:
    """Autocommit: transactions are begun by hand where they are meant."""
    return sqlite3.connect(name, uri=uri, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)


def _read_only(path: Path) -> str:
    """SQLite's own read-only mode; on a read-only disk and without a log the file is at rest and read without any lock."""
    at_rest = not path.with_name(path.name + "-wal").exists() and not os.access(path.parent, os.W_OK)
    return path.absolute().as_uri() + ("?mode=ro&immutable=1" if at_rest else "?mode=ro")


@contextmanager
def _closing(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    try:
        yield connection
    finally:
        connection.close()


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Every failure of the database as a LedgerError that says what, where and what to do."""
    try:
        yield
    except UnicodeEncodeError as error:  # keys and times are columns, and a column is text; a row's body is escaped
        raise LedgerError(f"{path}: {printable(error.object)} is no text, so it cannot be a row's key; rename it") from error
    except NotOursError as error:
        raise LedgerError(f"{path}: {error}") from error
    except sqlite3.OperationalError as error:
        raise LedgerError(f"{path}: {error}; look for a full disk, missing rights or a stuck process") from error
    except sqlite3.DatabaseError as error:
        raise LedgerError(f"{path}: {error}; restore it from a backup, or move it away to begin a new ledger") from error
