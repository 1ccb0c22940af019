"""A bundle that another machine can verify and replay offline: the ledger as of one moment, and every blob that a row needs.

A chain cannot be cut without breaking it, so all of it travels, whichever decision the bundle is made for.
"""

from __future__ import annotations

import os
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from harness.errors import InputError, LedgerError
from harness.ledger.history import find_decision, read_history
from harness.ledger.rows import blobs_of
from harness.ledger.store import Store, any_row

if TYPE_CHECKING:
    from collections.abc import Iterator

README = """A ledger of coding-skill-harness, with everything that decision {id} rests on.

    harness audit verify --state .
    harness audit replay {id} --state .
    harness audit why {id} --state .
    harness report --state .

Head when this was packed: {head}
Compare it with the head that the report or the commit of that day carries: only that shows that no row was left out.
"""


def export(store: Store, name: str, path: Path) -> Path:
    """Write a zip file with `ledger.db`, `blobs/` and `README.txt`, whole or not at all; its path.

    Raises:
        InputError: there is no decision of that name, or a campaign of the ledger was run on a private suite.
        LedgerError: a blob that a row needs is absent or changed, or the file cannot be written.
    """
    _, generation = find_decision(store, name)
    _refuse_private(store)
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory() as scratch, zipfile.ZipFile(fresh, "w", zipfile.ZIP_DEFLATED) as bundle:
            copy = Path(scratch) / "ledger.db"
            store.copy_to(copy)
            bundle.write(copy, "ledger.db")
            with Store.read(copy) as packed:
                readme = README.format(id=generation.decision.row.id, head=packed.head())
                bundle.writestr("README.txt", readme)
                for blob in needed_blobs(packed):
                    bundle.writestr(f"blobs/{blob[:2]}/{blob[2:]}", store.blobs.get(blob))
        fresh.replace(path)
    except OSError as error:
        raise LedgerError(f"{path}: the bundle cannot be written ({error.strerror})") from error
    finally:
        fresh.unlink(missing_ok=True)
    return path


def _refuse_private(store: Store) -> None:
    """All of the chain travels, so one private campaign keeps the whole ledger here."""
    private = [name for name in store.campaigns() if read_history(store, name).settings.private]
    if private:
        raise InputError(
            f"campaign {private[0][:16]} was run on a private suite, and a bundle holds its tasks' text and code; "
            "audit it on this machine, or keep what may travel in a ledger of its own (--state)"
        )


def needed_blobs(store: Store) -> Iterator[str]:
    """Every blob that a row needs, once."""
    seen: set[str] = set()
    for entry in store.walk():
        fresh = [name for name in blobs_of(any_row(entry)) if name not in seen]
        seen.update(fresh)
        yield from fresh
