"""Pruning: blobs that no row needs, left behind by killed runs. Rows are never touched."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.ledger.export import needed_blobs

if TYPE_CHECKING:
    from harness.ledger.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Pruned:
    """How many blobs no row needed, their size in bytes, and how many are kept."""

    blobs: int
    size: int
    kept: int


def prune(store: Store) -> Pruned:
    """Remove them. The store must be open for writing: a blob is stored before its row, so nobody else may be at work.

    Raises:
        LedgerError: a row cannot be read, so what it needs is unknown; nothing was removed.
    """
    needed = set(needed_blobs(store))
    idle = [name for name in store.blobs.names() if name not in needed]
    return Pruned(blobs=len(idle), size=sum(map(store.blobs.remove, idle)), kept=len(needed))
