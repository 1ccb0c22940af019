"""The ledger's database: its one physical table, the triggers that keep it append-only, migrations, and views for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.ledger.schema import ROWS, SCHEMA_VERSION, Row

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

APPLICATION_ID = 0x48524E53  # "HRNS": tells a ledger from any other SQLite file

# One script per schema version, run in order inside one transaction each. A migration may add; rows are never rewritten.
MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE entry (
            seq INTEGER PRIMARY KEY, time TEXT NOT NULL, campaign TEXT NOT NULL, kind TEXT NOT NULL, key TEXT NOT NULL,
            body TEXT NOT NULL, prev TEXT NOT NULL, hash TEXT NOT NULL,
            UNIQUE (campaign, kind, key)) STRICT""",
        "CREATE TRIGGER entry_no_update BEFORE UPDATE ON entry BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END",
        "CREATE TRIGGER entry_no_delete BEFORE DELETE ON entry BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END",
        # INSERT OR REPLACE deletes without firing delete triggers unless recursive triggers are on, so it is refused here.
        """CREATE TRIGGER entry_in_order BEFORE INSERT ON entry WHEN NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM entry)
            OR EXISTS (SELECT 1 FROM entry WHERE campaign = NEW.campaign AND kind = NEW.kind AND key = NEW.key)
            BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END""",
        "CREATE INDEX entry_by_kind ON entry (kind, campaign, seq)",
        f"PRAGMA application_id = {APPLICATION_ID}",
    ),
)


class NotOursError(Exception):
    """The file is no ledger that this harness can use; the store says which file."""


def schema_version(connection: sqlite3.Connection) -> int:
    """The file's schema version, 0 for a new file.

    Raises:
        NotOursError: it is another program's database, or was written by a newer harness.
    """
    version = _pragma(connection, "user_version")
    is_ours = _pragma(connection, "application_id") == APPLICATION_ID
    is_new = not connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchall()
    if not is_ours and not is_new:
        raise NotOursError("this SQLite file is not a ledger; give the path of .harness/ledger.db, or move the file away")
    if version > SCHEMA_VERSION:
        raise NotOursError(f"schema version {version} was written by a newer harness (this one: {SCHEMA_VERSION}); upgrade it")
    return version


def migrate(connection: sqlite3.Connection, migrations: Sequence[Sequence[str]] = MIGRATIONS) -> None:
    """Bring the database to the last version, one transaction a step, then make the views anew where models have changed."""
    for version in range(schema_version(connection), len(migrations)):
        connection.execute("BEGIN IMMEDIATE")
        with connection:  # commits, or rolls back and raises
            if _pragma(connection, "user_version") == version:  # else another process was first
                for statement in migrations[version]:
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {version + 1}")
    _renew_views(connection)


def _renew_views(connection: sqlite3.Connection) -> None:
    present = dict(connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'view'").fetchall())
    wanted = {name: _view(model) for name, model in ROWS.items()}
    if present == wanted:
        return
    connection.execute("BEGIN IMMEDIATE")
    with connection:
        for name, statement in wanted.items():
            connection.execute(f"DROP VIEW IF EXISTS {name}")
            connection.execute(statement)


def _view(model: type[Row]) -> str:
    fields = ", ".join(f"json_extract(body, '$.{name}') AS \"{name}\"" for name in model.model_fields if name != "key")
    head = f"CREATE VIEW {model.table} AS SELECT seq, time, campaign AS campaign_id, key, {fields}"
    return f"{head} FROM entry WHERE kind = '{model.table}'"


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])
